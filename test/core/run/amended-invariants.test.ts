import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePlan } from "../../../src/core/plan/read/parse-plan.ts";
import { amendPlan, standingOf } from "../../../src/core/run/amend-plan.ts";
import { decide } from "../../../src/core/run/decide.ts";
import type { Run } from "../../../src/core/run/run.ts";
import { hasEnded } from "../../../src/core/run/stage-state.ts";
import { planText } from "../../support/plan-text.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import { RunWorld } from "../../support/run-world.ts";

type Drawn = { needs: number[]; words: number; there: boolean; synthesis: number };

/** A plan that may lack stages, and says one of three things about each. */
const drawn = fc.array(
  fc.record({
    needs: fc.array(fc.nat(20), { maxLength: 2 }),
    words: fc.nat(2),
    there: fc.boolean(),
    synthesis: fc.nat(9),
  }),
  { minLength: 1, maxLength: 6 },
);
const life = fc.record({
  first: drawn,
  moves: fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.record({ what: fc.nat(99), which: fc.nat(50) }) },
      { weight: 1, arbitrary: fc.record({ plan: drawn, keep: fc.nat(3).map((n) => n > 0) }) },
    ),
    { maxLength: 60 },
  ),
});

function written(stages: Drawn[], run: Run | null, keep: boolean): string {
  const finished = [...(run?.stages ?? [])].filter(([, record]) => keep && standingOf(record));
  const kept = finished.map(([, { plan }]) => ({
    id: plan.id,
    description: plan.description,
    dependencies: plan.dependencies,
    synthesis: plan.synthesis,
  }));
  const ids = new Set(kept.map(({ id }) => id));
  const fresh = stages.flatMap((stage, index) => {
    const id = `s${index}`;
    if (ids.has(id) || (run && !stage.there)) return [];
    const synthesis = stage.synthesis === 0 && index === stages.length - 1;
    return [{ id, description: `Do ${id}, way ${stage.words}.`, needs: stage.needs, synthesis }];
  });
  const there = [...ids, ...fresh.map(({ id }) => id)];
  const rest = fresh.map(({ needs, ...stage }, index) => {
    const before = there.slice(0, ids.size + index);
    const picked = needs.map((need) => before[need % Math.max(1, before.length)] ?? "");
    return { ...stage, dependencies: [...new Set(picked.filter((id) => id !== ""))] };
  });
  return planText([...kept, ...rest]);
}

/** Changes the plan where that is allowed; says whether it was. */
function amend(world: RunWorld, planText: string): boolean {
  const { plan } = parsePlan(planText, { origin: "elsewhere" });
  if (!plan || amendPlan(world.run, plan).kind === "refused") return false;
  world.append({
    type: "plan-amended",
    at: world.at(),
    by: "mia",
    via: "command",
    planText,
    head: null,
    blob: null,
  });
  world.jobs.push({ kind: "advance" });
  return true;
}

describe("whatever becomes of a plan while it runs", () => {
  it("nothing finished changes, nothing starts too early or twice, and the run ends when its stages have", () => {
    let changes = 0;
    fc.assert(
      fc.property(life, ({ first, moves }) => {
        const world = new RunWorld(written(first, null, false), undefined, (before, event) => {
          if (event.type === "attempt-started")
            for (const dep of before.stages.get(event.stage)?.plan.dependencies ?? []) {
              const state = before.stages.get(dep)?.state;
              expect(
                state?.kind === "skipped" || (state?.kind === "completed" && state.merged !== null),
              ).toBe(true);
            }
          if (event.type === "run-finished")
            expect([...before.stages.values()].every(({ state }) => hasEnded(state))).toBe(true);
        });
        for (const move of moves) {
          if ("plan" in move) {
            const before = world.run;
            if (!amend(world, written(move.plan, before, move.keep))) continue;
            changes += 1;
            for (const [id, record] of before.stages) {
              if (!standingOf(record)) continue;
              const { plan, ...rest } = world.run.stages.get(id) ?? { plan: null };
              const { plan: was, ...same } = record;
              expect([rest, plan?.description]).toEqual([same, was.description]);
            }
            decide(world.run, world.now);
            continue;
          }
          const job = world.jobs[move.which % Math.max(1, world.jobs.length)];
          const worker = world.workers[move.which % Math.max(1, world.workers.length)];
          if (move.what < 40 && job) {
            world.jobs = world.jobs.filter((one) => one !== job);
            world.take(job);
          } else if (move.what < 80 && worker) world.step(worker, "on");
          else if (move.what < 88 && worker) world.step(worker, "checks-failed");
          else if (move.what < 90 && worker) world.step(worker, "ask");
          else if (move.what < 93 && worker) world.step(worker, "conflict");
          else if (move.what < 95) world.crash();
          else world.jobs.push({ kind: "advance" });
        }
        world.drain();
        const started = world.log.flatMap((event) =>
          event.type === "attempt-started" ? [`${event.stage}/${event.attempt}`] : [],
        );
        expect(new Set(started).size).toBe(started.length);
        for (const [id, { state }] of world.run.stages) expect(`${id} ${hasEnded(state)}`).toBe(`${id} true`);
        expect(world.run.status).not.toBe("running");
        for (const { plan, state } of world.run.stages.values())
          if (plan.dependencies.some((dep) => world.run.stages.get(dep)?.state.kind === "blocked"))
            expect(["blocked", "skipped"]).toContain(state.kind);
      }),
      { numRuns: propertyRuns(10) },
    );
    expect(changes).toBeGreaterThan(50);
  });
});
