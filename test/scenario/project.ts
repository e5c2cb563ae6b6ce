import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { makeRepo, type TestRepo } from "../support/git-repo.ts";
import {
  askLoom,
  type Finished,
  type LoomOptions,
  type LoomProcess,
  processesWith,
  startLoom,
} from "../support/loom-cli.ts";
import { planText, type StageFields } from "../support/plan-text.ts";

/** A person's repository with a plan in it, and `loom` as they would type it there. */
export type Project = TestRepo & {
  /** A folder beside the repository, where agents leave notes for the test. */
  readonly notes: string;
  readonly loom: (...args: string[]) => Promise<Finished>;
  readonly start: (...args: string[]) => LoomProcess;
  /** Within this process and therefore faster: to look, and to prepare a scene. */
  readonly ask: (...args: string[]) => ReturnType<typeof askLoom>;
  /** The same with another agent, another folder or further settings. */
  readonly with: (options: Partial<LoomOptions>) => Pick<Project, "loom" | "start" | "ask">;
  /** What an agent left under this name, or null. */
  readonly note: (name: string) => string | null;
  readonly has: (path: string) => boolean;
  readonly read: (path: string) => string;
  /** Stages in the order of their commits on a branch, oldest first. */
  readonly mergedStages: (branch?: string) => string[];
};

export type ProjectOptions = {
  readonly stages: readonly StageFields[];
  readonly plan?: Readonly<Record<string, unknown>>;
  readonly files?: Readonly<Record<string, string>>;
  /** A shell script; `$NOTES` and `$REPO` are set besides what Loom sets. */
  readonly agent?: string;
  readonly env?: Readonly<Record<string, string>>;
};

/** An agent that does every stage by writing a file of its name. */
const WRITES_ITS_NAME = 'echo "$LOOM_STAGE_ID" > "$LOOM_STAGE_ID.txt"';

export function makeProject({ stages, plan, files, agent = WRITES_ITS_NAME, env }: ProjectOptions): Project {
  const repo = makeRepo({
    "README.md": "hello\n",
    "PLAN.md": planText(stages, { name: "A plan", ...plan }),
    ...files,
  });
  const notes = dirname(repo.root);
  const commands = (more: Partial<LoomOptions> = {}): Pick<Project, "loom" | "start" | "ask"> => {
    const options: LoomOptions = {
      cwd: repo.root,
      agent,
      ...more,
      env: {
        NOTES: notes,
        REPO: repo.root,
        // Failures that wait for the machine to recover need not wait here.
        LOOM_RETRY_BACKOFF: "0,0",
        ...env,
        ...more.env,
      },
    };
    return {
      start(...args) {
        const started = startLoom(args, options);
        // A test that fails half-way must not leave anything running.
        onTestFinished(async () => {
          started.kill("SIGTERM");
          await started.finished;
        });
        return started;
      },
      loom: async (...args) => withoutTrace(await startLoom(args, options).finished),
      ask: async (...args) => withoutTrace(await askLoom(args, options)),
    };
  };
  return {
    ...repo,
    notes,
    ...commands(),
    with: commands,
    note: (name) => (existsSync(join(notes, name)) ? readFileSync(join(notes, name), "utf8") : null),
    has: (path) => existsSync(join(repo.root, path)),
    read: (path) => readFileSync(join(repo.root, path), "utf8"),
    mergedStages: (branch = "main") =>
      repo
        .git("log", "--reverse", "--format=%(trailers:key=Loom-Stage,valueonly,separator=)", branch)
        .split("\n")
        .filter((line) => line !== ""),
  };
}

/** Whatever happens, a person is never shown the inside of the program. */
function withoutTrace<T extends { readonly stdout: string; readonly stderr: string }>(answer: T): T {
  expect(`${answer.stdout}${answer.stderr}`).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m);
  return answer;
}

/** Everything a run makes while it goes on and must not leave behind. */
export function leftovers(project: Project): Record<string, unknown> {
  const trees = join(project.root, "..", "trees");
  return {
    worktrees:
      project
        .git("worktree", "list", "--porcelain")
        .match(/^worktree .*/gm)
        ?.slice(1) ?? [],
    refs: project.git("for-each-ref", "--format=%(refname)", "refs/loom", "refs/heads/loom"),
    trees: existsSync(trees) ? readdirSync(trees) : [],
    processes: processesWith(project.root),
    status: project.git("status", "--porcelain"),
  };
}

export const NOTHING_LEFT = { worktrees: [], refs: "", trees: [], processes: [], status: "" };

/** What differs from run to run, replaced: times, durations, object names, folders, process ids. */
export function normalise(text: string, project?: Project): string {
  const placed = project ? text.replaceAll(dirname(project.root), "/tmp/x") : text;
  return placed
    .replace(/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?Z?)?\b/g, "<time>")
    .replace(/\b\d\d:\d\d:\d\d\b/g, "<time>")
    .replace(/\b([a-z]+(?:-[a-z]+)*)-[0-9a-f]{8}\b/g, "$1-<hash>")
    .replace(/\b[0-9a-f]{7}(?:[0-9a-f]{33})?\b/g, "<sha>")
    .replace(/ +(?:\d+m )?\d+(?:\.\d+)?s\b/g, " <span>")
    .replace(/process \d+/g, "process <pid>")
    .replace(/[ \t]+$/gm, "");
}
