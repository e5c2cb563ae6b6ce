import { type Run, stageOf } from "../core/run/run.ts";
import { roomRules } from "../core/sandbox/room-rules.ts";
import { sandboxOf } from "../core/sandbox/sandbox-rules.ts";
import type { CheckDeps, OpenCheckRoom } from "./check-scene.ts";
import { type Claim, writeHeld } from "./claim.ts";
import type { Engine } from "./engine.ts";

/** What checks of this attempt work with. */
export function checkDeps(engine: Engine, run: Run, claim: Claim): CheckDeps {
  return {
    workspace: engine.workspaceFor(run),
    patterns: engine.patterns,
    openRoom: openCheckRoom(engine, run, claim),
  };
}

/** Set-up and checks run what agents wrote, so they get walls like the agents', with networks of their own. */
export function openCheckRoom(engine: Engine, run: Run, claim: Claim): OpenCheckRoom {
  const rules = sandboxOf(run.plan, stageOf(run, claim.stage).plan);
  return async (tree, purpose, marker) => {
    const room = await engine.rooms.open({
      ...roomRules(rules, run.settings, purpose),
      marker,
      tree,
      treeAccess: "write",
      home: null,
      shows: [],
      model: null,
      judge: null,
      onTraffic: null,
    });
    return {
      // Some test runners watch for changes and never end unless they are told that nobody sits there.
      spawn: (spec) => room.spawn({ ...spec, env: { CI: "true", ...spec.env } }),
      exceeded: () => room.exceeded(),
      async close() {
        const hosts = [...room.denied()];
        await room.close();
        if (hosts.length > 0) await writeHeld(engine, claim, { type: "hosts-denied", by: purpose, hosts });
      },
    };
  };
}
