import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FailureKind } from "../../../src/core/failure/failure.ts";
import { decide } from "../../../src/core/run/decide.ts";
import type { RunEvent } from "../../../src/core/run/events.ts";
import type { Run } from "../../../src/core/run/run.ts";
import { hasEnded, STAGE_MOVES, type StageState } from "../../../src/core/run/stage-state.ts";
import { planText } from "../../support/plan-text.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import { RunWorld } from "../../support/run-world.ts";

const KINDS: FailureKind[] = [
  "checks-failed",
  "no-change",
  "crashed",
  "timeout",
  "transient",
  "infrastructure",
  "harness-missing",
];

/** Never left again. */
const isTerminal = (state: StageState): boolean => STAGE_MOVES[state.kind].length === 0;

/** A random graph, and a random life: which job is taken, doubled or lost, which worker fails, dies or asks, and when. */
const life = fc.record({
  stages: fc.array(
    fc.record({ needs: fc.array(fc.nat(20), { maxLength: 3 }), critical: fc.nat(9), synthesis: fc.nat(9) }),
    { minLength: 1, maxLength: 9 },
  ),
  moves: fc.array(fc.record({ what: fc.nat(99), which: fc.nat(50) }), { maxLength: 120 }),
});

function plan(stages: { needs: number[]; critical: number; synthesis: number }[]): string {
  return planText(
    stages.map((stage, index) => {
      const synthesis = stage.synthesis === 0 && index === stages.length - 1;
      const needs = index === 0 ? [] : [...new Set(stage.needs.map((need) => `s${need % index}`))];
      return { id: `s${index}`, dependencies: needs, critical: stage.critical === 0, synthesis };
    }),
  );
}

function live(world: RunWorld, moves: { what: number; which: number }[]): void {
  for (const { what, which } of moves) {
    const job = world.jobs[which % Math.max(1, world.jobs.length)];
    const worker = world.workers[which % Math.max(1, world.workers.length)];
    const without = world.jobs.filter((one) => one !== job);
    if (what < 30 && job) {
      world.jobs = without;
      world.take(job);
    } else if (what < 40 && job) world.take(job);
    else if (what < 44 && job) world.jobs = without;
    else if (what < 70 && worker) world.step(worker, "on");
    else if (what < 80 && worker) world.step(worker, KINDS[which % KINDS.length] ?? "crashed");
    else if (what < 83 && worker) world.step(worker, "ask");
    else if (what < 85 && worker) world.step(worker, "conflict");
    else if (what < 88) world.crash();
    else if (what < 90) world.answerAll();
    else if (what < 93) retryOne(world, which);
    else if (what < 97) world.now += 60_000 * which;
    else if (what < 98 && world.run.status === "running" && which < 5) {
      world.append({ type: "cancel-requested", at: world.at(), by: "me" });
    } else world.jobs.push({ kind: "advance" });
  }
}

function retryOne(world: RunWorld, which: number): void {
  if (world.run.status === "completed" || world.run.status === "cancelled" || world.run.cancelledBy !== null)
    return;
  const blocked = [...world.run.stages].filter(
    ([, { state }]) => state.kind === "blocked" && state.failure.kind !== "dependency",
  );
  const stage = blocked[which % Math.max(1, blocked.length)]?.[0];
  if (stage !== undefined) world.append({ type: "stage-reopened", at: world.at(), stage, by: "me" });
}

function check(
  onEvent: (before: Run, event: RunEvent) => void,
  atRest: (world: RunWorld) => void = () => {},
): void {
  fc.assert(
    fc.property(life, ({ stages, moves }) => {
      const world = new RunWorld(plan(stages), undefined, onEvent);
      live(world, moves);
      world.drain();
      atRest(world);
    }),
    { numRuns: propertyRuns(4) },
  );
}

describe("whatever happens to jobs, workers and people", () => {
  it("no stage starts before everything it depends on is merged or skipped", () => {
    check((before, event) => {
      if (event.type !== "attempt-started") return;
      for (const dep of before.stages.get(event.stage)?.plan.dependencies ?? []) {
        const state = before.stages.get(dep)?.state;
        expect(state?.kind === "skipped" || (state?.kind === "completed" && state.merged !== null)).toBe(
          true,
        );
      }
    });
  });

  it("an attempt is started once", () => {
    check(
      () => {},
      (world) => {
        const started = world.log.flatMap((event) =>
          event.type === "attempt-started" ? [`${event.stage}/${event.attempt}`] : [],
        );
        expect(new Set(started).size).toBe(started.length);
      },
    );
  });

  it("no ready stage is stranded", () => {
    check(
      () => {},
      ({ run }) => {
        for (const [id, { state }] of run.stages) expect(`${id} ${hasEnded(state)}`).toBe(`${id} true`);
      },
    );
  });

  it("terminal states stay terminal", () => {
    const states = new WeakMap<Run, true>();
    check((before, event) => {
      states.set(before, true);
      if (!("stage" in event)) return;
      const state = before.stages.get(event.stage)?.state;
      expect(state !== undefined && isTerminal(state) ? event.type : "open").toBe("open");
    });
  });

  it("a failure closes over its dependents", () => {
    check(
      () => {},
      ({ run }) => {
        for (const { plan: stage, state } of run.stages.values()) {
          const behind = stage.dependencies.some((dep) => run.stages.get(dep)?.state.kind === "blocked");
          if (behind) expect(state.kind).toBe("blocked");
        }
      },
    );
  });

  it("a run ends exactly when all its stages have", () => {
    check(
      (before, event) => {
        if (event.type !== "run-finished") return;
        expect([...before.stages.values()].every(({ state }) => hasEnded(state))).toBe(true);
      },
      ({ run }) => {
        expect(run.status).not.toBe("running");
        const kinds = new Set([...run.stages.values()].map(({ state }) => state.kind));
        if (run.status === "completed") expect(kinds.has("blocked")).toBe(false);
        if (run.status === "blocked" || run.status === "failed") expect(kinds.has("blocked")).toBe(true);
        expect(decide(run, Number.MAX_SAFE_INTEGER)).toEqual([]);
      },
    );
  });
});
