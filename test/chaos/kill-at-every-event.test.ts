import { expect, it } from "vitest";
import {
  expectSoundLedger,
  expectTidy,
  makeScene,
  mergedStages,
  type Scene,
  sessionsOf,
} from "../support/chaos.ts";
import { until } from "../support/living-processes.ts";
import { ending, type Finished } from "../support/loom-cli.ts";

/** A chain of two and one beside it, so that one of them has to be transplanted and proved again. */
const STAGES = [
  { id: "one", acceptance: ["grep -q one one.txt"] },
  { id: "two", dependencies: ["one"], acceptance: ["test -f one.txt && grep -q two two.txt"] },
  { id: "side", acceptance: ["grep -q side side.txt"] },
];
const AGENT =
  'echo "$LOOM_STAGE_ID $LOOM_ATTEMPT" >> "$CHAOS/sessions"; echo "$LOOM_STAGE_ID" > "$LOOM_STAGE_ID.txt"';

/** How many places of a run are tried; they are spread over all of it. */
const POINTS = 14;
const AT_A_TIME = 3;

/** Not every run says the same number of things: one that ends before is one that was not killed. */
async function killAfterLine(scene: Scene, count: number): Promise<void> {
  const loom = scene.start(["run", "PLAN.md", "--json"], AGENT);
  let seen = 0;
  const line = loom.line(() => {
    seen += 1;
    return seen === count;
  });
  await line.catch(() => {});
  loom.kill("SIGKILL");
  await loom.finished;
}

function expectTheEndOfACleanRun(scene: Scene, finished: Finished): void {
  expect(finished.code, finished.stderr).toBe(0);
  const events = scene.ledger();
  expectSoundLedger(events);
  expect(events.at(-1)?.type).toBe("run-recorded");
  expect(mergedStages(scene).sort()).toEqual(["one", "side", "two"]);
  for (const stage of ["one", "two", "side"]) {
    expect(scene.repo.git("show", `main:${stage}.txt`)).toBe(stage);
    // Cut off at most once, so started at most twice; the attempt goes on under its number.
    expect(sessionsOf(scene)[stage]).toBeLessThanOrEqual(2);
    expect(events.filter((one) => one.type === "attempt-started" && one.stage === stage)).toHaveLength(1);
  }
  expect(events.filter((one) => one.type === "attempt-failed")).toEqual([]);
}

it("a run that is killed at any event ends like one that was not", async () => {
  const clean = makeScene(STAGES);
  const { lines } = await clean.run(["run", "PLAN.md", "--json"], AGENT);
  expect(sessionsOf(clean)).toEqual({ one: 1, two: 1, side: 1 });

  const last = lines.length - 1;
  const points = Array.from({ length: POINTS }, (_, index) => 1 + Math.floor((index * last) / POINTS));
  points.push(last);
  const tryOut = async (count: number, index: number): Promise<void> => {
    const scene = makeScene(STAGES);
    await killAfterLine(scene, count);
    const args = index % 3 === 1 ? ["resume", "--json"] : ["run", "PLAN.md", "--json"];
    const finished = await scene.run(args, AGENT);
    await until(() => scene.living().length === 0, "nothing of the killed process lives");
    try {
      expectTheEndOfACleanRun(scene, finished);
      expectTidy(scene);
      if (finished.lines.some((line) => line.type === "run-resumed"))
        expect(ending(finished).status).toBe("completed");
    } catch (error) {
      throw new Error(`killed after line ${count} (${lines[count - 1]?.type}), then ${args[0]}`, {
        cause: error,
      });
    }
  };
  const waiting = [...points.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await tryOut(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
});
