import { type Run, stageOf } from "../../core/run/run.ts";
import { changedSetUpNetwork, sandboxAccess } from "../../core/sandbox/sandbox-access.ts";
import { auditSandbox } from "../attempt/audit-attempt.ts";
import { type Claim, writeHeld } from "../attempt/claim.ts";
import type { Engine } from "../engine.ts";
import { sandboxAt } from "../session/sandbox-at.ts";
import type { OpenCheckSandbox } from "./check-sandbox.ts";
import type { CheckDeps } from "./check-scene.ts";

/** What checks of this attempt work with. */
export function checkDeps(engine: Engine, run: Run, claim: Claim): CheckDeps {
  return {
    workspace: engine.workspaceFor(run),
    patterns: engine.patterns,
    openSandbox: openCheckSandbox(engine, run, claim),
    trust:
      run.settings.setupNetwork === "commit"
        ? null
        : { base: run.base, openHome: (name) => engine.openHome(name) },
    onDoubt: (doubt) => engine.audit.refused({ ...doubt, run: claim.run, stage: claim.stage, who: "agent" }),
  };
}

/** Set-up and checks run what agents wrote, so they get a sandbox like the agents, with networks of their own. */
function openCheckSandbox(engine: Engine, run: Run, claim: Claim): OpenCheckSandbox {
  const { plan, base } = stageOf(run, claim.stage);
  const reading = { patterns: engine.patterns, workspace: engine.workspaceFor(run) };
  return async (tree, purpose, marker, home) => {
    const rules = await sandboxAt(reading, run.plan, plan, base ?? run.base);
    const by = purpose === "checks" ? "checks" : "setup";
    const sandbox = await engine.sandboxes.open({
      ...sandboxAccess(rules, run.settings, by),
      ...(purpose === "closed" ? { network: changedSetUpNetwork(rules, run.settings) } : {}),
      marker,
      tree,
      treeAccess: "write",
      home,
      shows: [],
      model: null,
      judge: null,
      onTraffic: null,
      onRefused: auditSandbox(engine, claim, by),
    });
    return {
      // Some test runners watch for changes and never end unless they are told that nobody sits there.
      spawn: (spec) => sandbox.spawn({ ...spec, env: { CI: "true", ...spec.env } }),
      exceeded: () => sandbox.exceeded(),
      async close() {
        const hosts = [...sandbox.denied()];
        await sandbox.close();
        // Without a network every host is refused, and none is to be allowed.
        if (hosts.length > 0 && purpose !== "closed")
          await writeHeld(engine, claim, { type: "hosts-denied", by, hosts });
      },
    };
  };
}
