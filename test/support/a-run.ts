import type { RunSettings } from "../../src/core/config/run-settings.ts";
import type { Failure, FailureKind } from "../../src/core/failure/failure.ts";
import type { RunCreated, RunEvent } from "../../src/core/run/events.ts";
import { evolve } from "../../src/core/run/evolve/evolve.ts";
import type { Run } from "../../src/core/run/run.ts";
import { branch, leaf, type Verdict, verdictSchema } from "../../src/core/verify/verdict.ts";
import type { FeedItem } from "../../src/ports/feed.ts";
import { planText, type StageFields } from "./plan-text.ts";

/** The moment at which every told run begins. */
export const START = Date.parse("2026-01-31T12:00:00Z");

const SETTINGS: RunSettings = {
  harness: "scripted",
  harnessWins: false,
  maxParallel: 4,
  retries: 2,
  timeoutSecs: 3600,
  noProgressSecs: 600,
  transientDelaysSecs: [0, 600, 3600],
  backoffSecs: { base: 30, max: 300 },
};

export const PASSED: Verdict = branch("checks", [
  leaf("passed", "npm test", "exited with 0"),
  leaf("passed", "a.ts", "exists"),
]);

/** Like an object name, and always the same for the same text. */
export function shaOf(text: string): string {
  let hash = 2166136261;
  for (const char of text) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16777619) >>> 0;
  return hash.toString(16).padStart(8, "0").repeat(5);
}

export function failure(kind: FailureKind, message: string, evidence: string | null = null): Failure {
  return { kind, message, evidence };
}

type Told = {
  readonly run?: string;
  readonly target?: string;
  readonly harness?: string;
  readonly planPath?: string;
  /** What only a run on GitHub has. */
  readonly hosted?: Partial<RunCreated>;
};

/** Tells a run as it happens: each verb adds the events that Loom would write, `at` moves the clock. */
export function aRun(stages: readonly StageFields[], told: Told = {}) {
  const events: RunEvent[] = [];
  const items: FeedItem[] = [];
  let now = START;
  let current: Run | null = null;

  const time = (): string => new Date(now).toISOString();
  const add = (event: RunEvent): void => {
    current = evolve(current, [event]);
    if (!current) throw new Error("a run begins with run-created");
    events.push(event);
    items.push({ kind: "event", event, run: current });
  };
  const attemptOf = (stage: string): number => current?.stages.get(stage)?.attempts ?? 0;
  const latest = (stage: string) => ({ at: time(), stage, attempt: attemptOf(stage) });

  add({
    type: "run-created",
    at: time(),
    run: told.run ?? "calc-3f2a1b",
    generation: 0,
    planPath: told.planPath ?? "PLAN.md",
    planText: planText(stages),
    target: told.target ?? "main",
    base: shaOf("base"),
    gate: null,
    settings: { ...SETTINGS, harness: told.harness ?? SETTINGS.harness },
    ...told.hosted,
  });

  const story = {
    events,
    items,
    get run(): Run {
      if (!current) throw new Error("a run begins with run-created");
      return current;
    },
    get now(): number {
      return now;
    },
    /** Seconds after the start. */
    at(secs: number) {
      now = START + secs * 1000;
      return story;
    },
    add(event: RunEvent) {
      add(event);
      return story;
    },
    queues(stage: string, waitSecs: number | null = null) {
      const attempt = current?.stages.get(stage)?.open ? attemptOf(stage) : attemptOf(stage) + 1;
      const notBefore = waitSecs === null ? null : now + waitSecs * 1000;
      add({ type: "stage-queued", at: time(), stage, attempt, notBefore });
      return story;
    },
    starts(stage: string) {
      if (current?.stages.get(stage)?.state.kind !== "queued") story.queues(stage);
      const attempt = attemptOf(stage) + 1;
      const session = `${stage}-${attempt}`;
      add({ type: "attempt-started", at: time(), stage, attempt, claim: "c1", base: shaOf("base") });
      add({
        type: "session-started",
        ...latest(stage),
        session,
        harness: "scripted",
        prompt: attempt > 1 ? "retry" : "stage",
        marker: `m-${session}`,
        tree: `/home/sam/project/.git/loom/trees/${session}`,
      });
      return story;
    },
    does(stage: string, text: string) {
      items.push({ kind: "activity", run: story.run.id, ...latest(stage), text });
      return story;
    },
    commits(stage: string, files: readonly string[] = ["src/a.ts", "src/b.ts"]) {
      const usage = { inputTokens: 1200, outputTokens: 340, costUsd: 0.05 };
      const session = story.run.stages.get(stage)?.session?.id ?? "";
      const ended = { state: "completed", exitCode: 0, signal: null, durationMs: 1000, usage } as const;
      add({ type: "session-ended", ...latest(stage), session, ...ended });
      const commit = shaOf(`${stage}-${attemptOf(stage)}`);
      add({
        type: "attempt-committed",
        ...latest(stage),
        commit,
        base: shaOf("base"),
        files: [...files],
        stalled: false,
      });
      return story;
    },
    verifies(stage: string, verdict: Verdict = PASSED) {
      const commit = shaOf(`${stage}-${attemptOf(stage)}`);
      add({ type: "attempt-verified", ...latest(stage), commit, verdict: verdictSchema.parse(verdict) });
      return story;
    },
    publishes(stage: string) {
      const commit = shaOf(`${stage}-${attemptOf(stage)}`);
      add({ type: "stage-published", ...latest(stage), commit, branch: `loom/${story.run.id}/${stage}` });
      return story;
    },
    merges(stage: string) {
      const commit = shaOf(`${stage}-${attemptOf(stage)}`);
      add({ type: "merge-started", ...latest(stage), commit, onto: story.run.tip });
      add({ type: "stage-merged", ...latest(stage), commit, merged: shaOf(`${stage}-merged`) });
      return story;
    },
    /** Proved, open as a pull request, and now it is somebody's turn. */
    waits(stage: string, until: number | null = null) {
      const wait = { reason: "It is proved.", next: "Merge it.", until };
      add({ type: "merge-waiting", ...latest(stage), ...wait });
      return story;
    },
    /** From the commit to the target, all at one moment. */
    passes(stage: string) {
      return story.commits(stage).verifies(stage).publishes(stage).merges(stage);
    },
    conflicts(stage: string, files: readonly string[]) {
      const commit = shaOf(`${stage}-${attemptOf(stage)}`);
      add({ type: "merge-conflicted", ...latest(stage), commit, onto: story.run.tip, files: [...files] });
      return story;
    },
    fails(stage: string, why: Failure, verdict: Verdict | null = null) {
      add({
        type: "attempt-failed",
        ...latest(stage),
        failure: why,
        verdict: verdict && verdictSchema.parse(verdict),
      });
      return story;
    },
    asks(stage: string, question: string) {
      add({ type: "input-requested", ...latest(stage), question });
      return story;
    },
    blocks(stage: string, why: Failure) {
      add({ type: "stage-blocked", at: time(), stage, failure: why });
      return story;
    },
    skips(stage: string, reason: string) {
      add({ type: "stage-skipped", at: time(), stage, reason });
      return story;
    },
    finishes(status: "completed" | "failed" | "blocked" | "cancelled") {
      add({ type: "run-finished", at: time(), status });
      return story;
    },
    records() {
      add({ type: "run-recorded", at: time(), commit: shaOf("record") });
      return story;
    },
  };
  return story;
}

/** Two stages side by side, two behind them, one at the end. */
export const CALCULATOR: readonly StageFields[] = [
  { id: "lexer" },
  { id: "parser", dependencies: ["lexer"] },
  { id: "printer", dependencies: ["lexer"] },
  { id: "evaluator", dependencies: ["parser"] },
  { id: "docs", dependencies: ["lexer"] },
  { id: "command-line", dependencies: ["evaluator", "printer"] },
  { id: "check-it-all", dependencies: ["command-line", "docs"], stage_type: "integration-verify" },
];
