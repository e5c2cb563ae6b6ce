import type { RunSettings } from "../../src/core/config/run-settings.ts";
import type { FailureKind } from "../../src/core/failure/failure.ts";
import { eventsFor } from "../../src/core/run/action-events.ts";
import { type Action, decide } from "../../src/core/run/decide.ts";
import type { RunEvent } from "../../src/core/run/events.ts";
import { evolve } from "../../src/core/run/evolve/evolve.ts";
import { endOfLine } from "../../src/core/run/merge-line.ts";
import { type Run, stageOf } from "../../src/core/run/run.ts";
import type { Phase } from "../../src/core/run/stage-state.ts";
import type { Verdict } from "../../src/core/verify/verdict.ts";

/**
 * A modelled world around `decide`: a queue that may duplicate, reorder and lose jobs, workers that may fail or vanish
 * at any step, a person who retries, skips and answers. Time is a number; nothing here waits.
 */
export const SETTINGS: RunSettings = {
  harness: "scripted",
  harnessWins: false,
  maxParallel: 3,
  retries: 1,
  timeoutSecs: 100,
  noProgressSecs: 10,
  transientDelaysSecs: [0, 600],
  backoffSecs: { base: 30, max: 300 },
};

const SHA = "a".repeat(40);
const PASSED: Verdict = { outcome: "passed", title: "checks", detail: null, evidence: null, children: [] };

type Worker = { stage: string; attempt: number; claim: string };
type Job =
  | { kind: "advance" }
  | { kind: "stage"; stage: string; attempt: number }
  | { kind: "merge"; stage: string };

export class RunWorld {
  readonly log: RunEvent[] = [];
  run: Run;
  jobs: Job[] = [{ kind: "advance" }];
  workers: Worker[] = [];
  now = Date.parse("2026-01-01T00:00:00Z");
  claims = 0;
  commits = 0;
  readonly onEvent: (before: Run, event: RunEvent) => void;

  constructor(
    planText: string,
    settings: RunSettings = SETTINGS,
    onEvent: (before: Run, event: RunEvent) => void = () => {},
  ) {
    this.onEvent = onEvent;
    const created: RunEvent = {
      type: "run-created",
      at: this.at(),
      run: "r-1",
      generation: 0,
      planPath: "PLAN.md",
      planText,
      target: "main",
      base: SHA,
      gate: null,
      settings,
    };
    this.log.push(created);
    const run = evolve(null, [created]);
    if (!run) throw new Error("no run");
    this.run = run;
  }

  at(): string {
    return new Date(this.now).toISOString();
  }

  append(...events: RunEvent[]): void {
    for (const event of events) {
      this.onEvent(this.run, event);
      const next = evolve(this.run, [event]);
      if (!next) throw new Error("no run");
      this.run = next;
      this.log.push(event);
    }
  }

  actions(): Action[] {
    return decide(this.run, this.now);
  }

  /** What `advanceRun` does, with the queue of this world. */
  advance(): void {
    for (;;) {
      const actions = this.actions();
      const events = actions.flatMap((action) => this.eventsFor(action));
      if (events.length === 0) {
        for (const action of actions) {
          if (action.kind === "start")
            this.jobs.push({ kind: "stage", stage: action.stage, attempt: action.attempt });
          if (action.kind === "merge") this.jobs.push({ kind: "merge", stage: action.stage });
          if (action.kind === "stop") this.interrupt(action.stage);
        }
        return;
      }
      this.append(...events);
    }
  }

  private eventsFor(action: Action): RunEvent[] {
    if (action.kind === "record") return [{ type: "run-recorded", at: this.at(), commit: SHA }];
    return eventsFor("run-1", action, this.at());
  }

  private interrupt(stage: string): void {
    const { state } = stageOf(this.run, stage);
    if (state.kind !== "executing") return;
    this.workers = this.workers.filter((worker) => worker.stage !== stage);
    this.append({
      type: "attempt-interrupted",
      at: this.at(),
      stage,
      attempt: state.attempt,
      reason: "stopped",
    });
    this.jobs.push({ kind: "advance" });
  }

  /** Takes one job the way a worker does: looks whether it is still wanted. */
  take(job: Job): void {
    if (job.kind === "advance") {
      this.advance();
      return;
    }
    // A plan that was changed may have dropped the stage since.
    const record = this.run.stages.get(job.stage);
    if (!record) return;
    const { state } = record;
    if (job.kind === "stage") {
      if (this.run.status !== "running" || this.run.cancelledBy !== null) return;
      if (state.kind !== "queued" || state.attempt !== job.attempt) return;
      this.claims += 1;
      const claim = `c${this.claims}`;
      const common = { at: this.at(), stage: job.stage, attempt: job.attempt, claim };
      this.append(
        record.open
          ? { type: "attempt-resumed", ...common }
          : { type: "attempt-started", ...common, base: SHA },
      );
      this.workers.push({ stage: job.stage, attempt: job.attempt, claim });
      return;
    }
    const due = this.actions().some((action) => action.kind === "merge" && action.stage === job.stage);
    if (!due || state.kind !== "executing") return;
    const common = { at: this.at(), stage: job.stage, attempt: state.attempt };
    // What does not stand on the target is moved there and proved again.
    if (record.base !== this.run.tip) {
      const commit = this.newCommit();
      this.append(
        { type: "attempt-committed", ...common, commit, base: this.run.tip, files: [], stalled: false },
        { type: "attempt-verified", ...common, commit, verdict: PASSED },
        { type: "stage-published", ...common, commit, branch: `loom/r-1/${job.stage}` },
      );
    }
    const { commit } = stageOf(this.run, job.stage);
    this.append({ type: "stage-merged", ...common, commit: commit ?? SHA, merged: commit ?? SHA });
    this.jobs.push({ kind: "advance" });
  }

  private newCommit(): string {
    this.commits += 1;
    return this.commits.toString(16).padStart(40, "0");
  }

  /** One step of one worker; a worker whose claim is gone, or whose part is done, leaves. */
  step(worker: Worker, how: "on" | FailureKind | "ask" | "conflict"): void {
    const state = this.run.stages.get(worker.stage)?.state;
    const ours = state?.kind === "executing" && state.claim === worker.claim;
    const event = ours ? this.nextEvent(worker, state.phase, how) : null;
    if (event) this.append(event);
    if (event?.type === "attempt-committed" || event?.type === "attempt-verified") return;
    this.workers = this.workers.filter((one) => one !== worker);
    this.jobs.push({ kind: "advance" });
  }

  private nextEvent(
    worker: Worker,
    phase: Phase,
    how: "on" | FailureKind | "ask" | "conflict",
  ): RunEvent | null {
    const common = { at: this.at(), stage: worker.stage, attempt: worker.attempt };
    if (how === "ask" && phase === "working")
      return { type: "input-requested", ...common, question: "Which?" };
    if (how === "conflict" && phase === "published") {
      return { type: "merge-conflicted", ...common, commit: SHA, onto: SHA, files: ["f"] };
    }
    if (how !== "on" && how !== "ask" && how !== "conflict") {
      return {
        type: "attempt-failed",
        ...common,
        failure: { kind: how, message: "no", evidence: null },
        verdict: null,
      };
    }
    const commit = stageOf(this.run, worker.stage).commit ?? SHA;
    switch (phase) {
      case "working": {
        const base = endOfLine(this.run, worker.stage);
        return {
          type: "attempt-committed",
          ...common,
          commit: this.newCommit(),
          base,
          files: [],
          stalled: false,
        };
      }
      case "committed":
        return { type: "attempt-verified", ...common, commit, verdict: PASSED };
      case "verified":
        return { type: "stage-published", ...common, commit, branch: `loom/r-1/${worker.stage}` };
      case "published":
        return null;
    }
  }

  /** The process dies: workers and queue are gone, and the next one recovers what was being worked on. */
  crash(): void {
    this.workers = [];
    for (const [stage, { state }] of this.run.stages) {
      if (state.kind !== "executing") continue;
      this.append({
        type: "attempt-interrupted",
        at: this.at(),
        stage,
        attempt: state.attempt,
        reason: "died",
      });
    }
    this.jobs = [{ kind: "advance" }];
  }

  answerAll(): void {
    for (const [stage, { state }] of this.run.stages) {
      if (state.kind !== "waiting-for-input") continue;
      this.append({
        type: "input-answered",
        at: this.at(),
        stage,
        attempt: state.attempt,
        by: "me",
        answer: "That.",
      });
    }
    this.jobs.push({ kind: "advance" });
  }

  /** Lets everything go well until nothing moves any more. */
  drain(): void {
    for (let round = 0; round < 10_000; round += 1) {
      const job = this.jobs.shift();
      if (job) {
        this.take(job);
        continue;
      }
      const worker = this.workers[0];
      if (worker) {
        this.step(worker, "on");
        continue;
      }
      const before = this.run.version;
      this.answerAll();
      this.now += 10_000_000;
      this.take({ kind: "advance" });
      this.jobs = this.jobs.filter((one) => one.kind !== "advance");
      if (this.run.version === before && this.jobs.length === 0) return;
    }
    throw new Error("the run never comes to rest");
  }
}
