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
import { ending, type Finished, type Line } from "../support/loom-cli.ts";

/** A chain of two and one beside it, so that one of them has to be transplanted and proved again. */
const STAGES = [
  { id: "one", acceptance: ["grep -q one one.txt"] },
  { id: "two", dependencies: ["one"], acceptance: ["test -f one.txt && grep -q two two.txt"] },
  { id: "side", acceptance: ["grep -q side side.txt"] },
];
const AGENT =
  'echo "$LOOM_STAGE_ID $LOOM_ATTEMPT" >> "$CHAOS/sessions"; echo "$LOOM_STAGE_ID" > "$LOOM_STAGE_ID.txt"';

/** How many places of a run are tried; they are spread over all of it, and each run is killed at two of them. */
const POINTS = 14;
const AT_A_TIME = 3;

/** A line of a clean run: how it begins, and the how manieth of its kind it is. */
type Place = { readonly type: string; readonly stage: unknown; readonly nth: number };

function placesOf(lines: readonly Line[]): Place[] {
  const counts = new Map<string, number>();
  return lines.map(({ type, stage }) => {
    const nth = (counts.get(`${type} ${stage}`) ?? 0) + 1;
    counts.set(`${type} ${stage}`, nth);
    return { type, stage, nth };
  });
}

/** Not every run says the same things: one that ends before is one that was not killed. */
async function killAt(scene: Scene, args: readonly string[], place: Place): Promise<void> {
  const loom = scene.start(args, AGENT);
  let seen = 0;
  const line = loom.line(({ type, stage }) => {
    if (type === place.type && stage === place.stage) seen += 1;
    return seen === place.nth;
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
    // Started once more for each time that it was cut off; the attempt goes on under its number.
    const cutOff = events.filter((one) => one.type === "attempt-interrupted" && one.stage === stage);
    expect(sessionsOf(scene)[stage]).toBeLessThanOrEqual(1 + cutOff.length);
    expect(events.filter((one) => one.type === "attempt-started" && one.stage === stage)).toHaveLength(1);
  }
  expect(events.filter((one) => one.type === "attempt-failed")).toEqual([]);
}

it("a run that is killed at any event ends like one that was not", async () => {
  const clean = makeScene(STAGES);
  const { lines } = await clean.run(["run", "PLAN.md", "--json"], AGENT);
  expect(sessionsOf(clean)).toEqual({ one: 1, two: 1, side: 1 });

  const places = placesOf(lines);
  const last = lines.length - 1;
  const points = Array.from({ length: POINTS }, (_, index) => Math.floor((index * last) / POINTS));
  points.push(last - 1);
  const half = Math.ceil(points.length / 2);
  const tries = points
    .slice(0, half)
    .map((point, index) => [point, ...points.slice(half + index, half + index + 1)]);
  const tryOut = async (tried: readonly number[], index: number): Promise<void> => {
    const scene = makeScene(STAGES);
    const again = index % 3 === 1 ? ["resume", "--json"] : ["run", "PLAN.md", "--json"];
    const killed = tried.flatMap((point) => places[point] ?? []);
    for (const [nth, place] of killed.entries())
      await killAt(scene, nth === 0 ? ["run", "PLAN.md", "--json"] : again, place);
    const finished = await scene.run(again, AGENT);
    await until(() => scene.living().length === 0, "nothing of the killed process lives");
    try {
      expectTheEndOfACleanRun(scene, finished);
      expectTidy(scene);
      if (finished.lines.some((line) => line.type === "run-resumed"))
        expect(ending(finished).status).toBe("completed");
    } catch (error) {
      throw new Error(`killed after ${JSON.stringify(killed)}, then ${again[0]}`, { cause: error });
    }
  };
  const waiting = [...tries.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await tryOut(next[1], next[0]);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
});
