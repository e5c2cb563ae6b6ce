import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { makeRepo, type TestRepo } from "./git-repo.ts";
import { livingWith } from "./living-processes.ts";
import {
  askLoom,
  type Finished,
  type Line,
  type LoomOptions,
  type LoomProcess,
  startLoom,
} from "./loom-cli.ts";
import { planText, type StageFields } from "./plan-text.ts";

/**
 * A repository with a plan, and everything that is looked at from outside: what agents wrote down, who is alive, what the
 * ledger says. Every process that is started here carries the scene's name in its environment.
 */
export type Scene = {
  readonly repo: TestRepo;
  /** Around the repository, for what agents leave outside of it. */
  readonly folder: string;
  start(args: readonly string[], agent: string, env?: Readonly<Record<string, string>>): LoomProcess;
  run(args: readonly string[], agent: string, env?: Readonly<Record<string, string>>): Promise<Finished>;
  /** The same within this process, which spares the start of one: where nothing happens to it. */
  ask(args: readonly string[], agent: string): ReturnType<typeof askLoom>;
  /** A file in the folder; empty when there is none. */
  read(name: string): string;
  write(name: string, text: string): void;
  has(name: string): boolean;
  /** Every process that Loom or one of its agents has started and that lives. */
  living(): number[];
  /** All events so far, straight from the file. */
  ledger(): Line[];
  /** What lies beside the ledger, such as `reports`. */
  runFiles(folder: string): Record<string, string>;
};

/** Pauses between attempts are for people; a test has no use for them. */
const IMPATIENT = { LOOM_RETRY_BACKOFF: "0", LOOM_RETRY_DELAYS: "0,0,0" };

export function makeScene(
  stages: readonly StageFields[],
  fields: Readonly<Record<string, unknown>> = {},
): Scene {
  const repo = makeRepo({ "README.md": "hello\n", "PLAN.md": planText(stages, fields) });
  const folder = dirname(repo.root);
  const runs = join(repo.root, ".git", "loom", "runs");
  const options = (agent: string, env: Readonly<Record<string, string>> = {}): LoomOptions => ({
    cwd: repo.root,
    agent,
    env: { CHAOS: folder, ...IMPATIENT, ...env },
  });
  const scene: Scene = {
    repo,
    folder,
    start: (args, agent, env) => startLoom(args, options(agent, env)),
    run: (args, agent, env) => scene.start(args, agent, env).finished,
    ask: (args, agent) => askLoom(args, options(agent)),
    read: (name) => (scene.has(name) ? readFileSync(join(folder, name), "utf8") : ""),
    write: (name, text) => writeFileSync(join(folder, name), text),
    has: (name) => existsSync(join(folder, name)),
    living: () => livingWith(`CHAOS=${folder}`),
    ledger: () =>
      namesIn(runs).flatMap((run) =>
        readFileSync(join(runs, run, "events.jsonl"), "utf8")
          .split("\n")
          .filter((line) => line !== "")
          .flatMap((line): Line[] => JSON.parse(line).events),
      ),
    runFiles: (name) =>
      Object.fromEntries(
        namesIn(runs).flatMap((run) =>
          namesIn(join(runs, run, name)).map((file) => [
            file,
            readFileSync(join(runs, run, name, file), "utf8"),
          ]),
        ),
      ),
  };
  return scene;
}

/** The stages whose commits are in the target, in order, one entry per commit. */
export function mergedStages({ repo }: Scene): string[] {
  return repo
    .git("log", "--reverse", "--format=%(trailers:key=Loom-Stage,valueonly,separator=%x2C)", "main")
    .split("\n")
    .filter((line) => line !== "");
}

/** How often an agent was started for each stage, from the lines `stage attempt` that it wrote. */
export function sessionsOf(scene: Scene): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const line of scene.read("sessions").split("\n")) {
    const [stage] = line.split(" ");
    if (stage) counts[stage] = (counts[stage] ?? 0) + 1;
  }
  return counts;
}

/** Nothing of Loom's is left over, and the repository is as whole as a person would want it. */
export function expectTidy(scene: Scene): void {
  const { repo } = scene;
  expect(repo.git("status", "--porcelain")).toBe("");
  expect(repo.git("worktree", "list", "--porcelain").match(/^worktree /gm)).toHaveLength(1);
  expect(repo.git("for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
  expect(namesIn(join(scene.folder, "trees"))).toEqual([]);
  const state = join(repo.root, ".git", "loom");
  // The trusted git directory stays, for other runs, and so does the day of the last sweep; nothing of this run's work may.
  expect(namesIn(state).filter((name) => !["git", "tmp", "swept"].includes(name))).toEqual(["runs"]);
  expect(existsSync(join(state, "tmp")) ? namesIn(join(state, "tmp")) : []).toEqual([]);
  repo.git("fsck", "--strict", "--no-dangling");
  expect(scene.living()).toEqual([]);
}

/** What holds of every ledger, whatever happened on the way. */
export function expectSoundLedger(events: readonly Line[]): void {
  const settled = new Set<unknown>();
  const attempts = new Map<unknown, number>();
  for (const event of events) {
    if (event.type === "attempt-committed") settled.add(event.stage);
    if (event.type === "attempt-failed" || event.type === "merge-conflicted") settled.delete(event.stage);
    if (event.type === "attempt-started") attempts.set(event.stage, Number(event.attempt));
    if (event.type === "session-started") {
      // An agent is not asked twice for what is committed already.
      expect(settled.has(event.stage), `a second session of ${event.stage}`).toBe(false);
      expect(event.attempt).toBe(attempts.get(event.stage));
    }
  }
  const merges = events.filter((event) => event.type === "stage-merged").map((event) => event.stage);
  expect(new Set(merges).size).toBe(merges.length);
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}
