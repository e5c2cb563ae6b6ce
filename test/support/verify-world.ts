import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createGit } from "../../src/adapters/git/run/git.ts";
import { createRepositoryGit } from "../../src/adapters/git/run/repository-git.ts";
import { createGitWorkspace } from "../../src/adapters/git/workspace.ts";
import { openRepository } from "../../src/adapters/local/open-repository.ts";
import { createSupervisor } from "../../src/adapters/sandbox/processes/process-supervisor.ts";
import { createPatterns } from "../../src/adapters/text/patterns.ts";
import type { GateChanges } from "../../src/core/config/gate-changes.ts";
import type { Strictness } from "../../src/core/config/strictness.ts";
import type { CommandCheck, StagePlan } from "../../src/core/plan/plan.ts";
import type { Verdict } from "../../src/core/verify/verdict.ts";
import type { OpenCheckSandbox } from "../../src/engine/verify/check-sandbox.ts";
import type { CheckDeps } from "../../src/engine/verify/check-scene.ts";
import { verifyCommit } from "../../src/engine/verify/verify-commit.ts";
import type { OutputChunk, ProcessSpec } from "../../src/ports/process-supervisor.ts";
import { aPlan, aStage } from "./check-values.ts";

/** File contents by path; null removes, `{ link }` makes a symbolic link. */
export type Change = Readonly<Record<string, string | null | { readonly link: string }>>;

/** A real repository, a real sandbox, and short ways to ask for a verdict. */
export async function createVerifyWorld() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "loom-verify-")));
  const repo = join(folder, "repo");
  mkdirSync(repo);
  const git = (...args: string[]) => execFileSync("git", args, { cwd: repo, encoding: "utf8" }).trim();
  git("init", "-q", "-b", "main");
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@example.org");
  git("commit", "-q", "--allow-empty", "-m", "Begin");

  const supervisor = createSupervisor();
  // Whoever ends last under a marker takes along all that carries it, of other test files too.
  const marker = `verify-${randomUUID()}`;
  const spawned: ProcessSpec[] = [];
  const program = createGit();
  const repository = createRepositoryGit(program, await openRepository(program, repo));
  const workspace = createGitWorkspace({ git: repository, treesRoot: join(folder, "trees") });
  let openTrees = 0;
  const deps: CheckDeps = {
    workspace: {
      ...workspace,
      async open(commit) {
        openTrees += 1;
        return workspace.open(commit);
      },
      async close(tree) {
        openTrees -= 1;
        await workspace.close(tree);
      },
    },
    openSandbox: async (_tree, _purpose, marker) => ({
      spawn(spec) {
        const whole = { ...spec, env: { PATH: process.env.PATH ?? "", ...spec.env }, marker };
        spawned.push(whole);
        return supervisor.spawn(whole);
      },
      exceeded: () => null,
      close: async () => {},
    }),
    patterns: createPatterns(),
    trust: null,
  };
  const base = git("rev-parse", "HEAD");

  return {
    folder,
    repo,
    deps,
    supervisor,
    base,
    marker,
    /** Every process that was started, in order. */
    spawned,
    openTrees: () => openTrees,
    /** A commit with this change on top of another. */
    commit(change: Change, parent = base): string {
      git("checkout", "-q", "--force", "--detach", parent);
      for (const [path, content] of Object.entries(change)) {
        const file = join(repo, path);
        rmSync(file, { recursive: true, force: true });
        if (content === null) continue;
        mkdirSync(dirname(file), { recursive: true });
        if (typeof content === "string") writeFileSync(file, content);
        else symlinkSync(content.link, file);
      }
      git("add", "--all", "--force");
      git("commit", "-q", "--allow-empty", "-m", "Change");
      return git("rev-parse", "HEAD");
    },
    verify(
      commit: string,
      stage: Partial<StagePlan>,
      more: {
        base?: string;
        gate?: readonly CommandCheck[];
        gateBase?: string;
        strictness?: Strictness;
        gateChanges?: GateChanges;
        signal?: AbortSignal;
        onOutput?: () => void;
      } = {},
    ): Promise<Verdict> {
      const { gate = [], onOutput, ...rest } = more;
      const plan = aPlan(aStage(stage));
      const [only = aStage(stage)] = plan.stages;
      const watched = onOutput ? { ...deps, openSandbox: heard(deps.openSandbox, onOutput) } : deps;
      return verifyCommit(watched, {
        plan,
        stage: only,
        gate,
        commit,
        base,
        projectRoot: repo,
        marker,
        ...rest,
      });
    },
    async close() {
      await supervisor.close();
      await workspace.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type VerifyWorld = Awaited<ReturnType<typeof createVerifyWorld>>;

/** One line per node: outcome, title, detail. */
export function outline(verdict: Verdict, depth = 0): string[] {
  const line = `${"  ".repeat(depth)}${verdict.outcome} ${verdict.title}${verdict.detail === null ? "" : `: ${verdict.detail}`}`;
  return [line, ...verdict.children.flatMap((child) => outline(child, depth + 1))];
}

/** Tells as soon as a program has written something. */
function heard(open: OpenCheckSandbox, onOutput: () => void): OpenCheckSandbox {
  async function* listen(output: AsyncIterable<OutputChunk>) {
    for await (const chunk of output) {
      onOutput();
      yield chunk;
    }
  }
  return async (...args) => {
    const sandbox = await open(...args);
    return {
      ...sandbox,
      spawn(spec) {
        const started = sandbox.spawn(spec);
        return { ...started, output: listen(started.output) };
      },
    };
  };
}
