import { describe, expect, it } from "vitest";
import { chooseParallel, type ParallelWish } from "../../../src/cli/input/choose-parallel.ts";
import { parsePlan } from "../../../src/core/plan/read/parse-plan.ts";
import { planText, type StageFields } from "../../support/plan-text.ts";

const WIDE = [{ id: "a" }, { id: "b" }, { id: "c", dependencies: ["a", "b"] }];
const CHAIN = [{ id: "a" }, { id: "b", dependencies: ["a"] }];

async function choose(
  stages: readonly StageFields[],
  answer: string | null | "nobody",
  wish: Partial<ParallelWish> = {},
) {
  const { plan } = parsePlan(planText(stages, { name: "A plan" }), {
    origin: "elsewhere",
    checkPattern: () => null,
  });
  if (!plan) throw new Error("the plan does not load");
  const asked: string[] = [];
  const notes: string[] = [];
  const ask = async (question: string) => {
    asked.push(question);
    return answer;
  };
  const io = answer === "nobody" ? {} : { ask };
  const { maxParallel } = await chooseParallel(
    io,
    { output: { note: (text) => void notes.push(text) } },
    {
      plan,
      wanted: { maxParallel: 4 },
      executionMode: "ask",
      options: { json: false, maxParallel: null },
      ...wish,
    },
  );
  return { maxParallel, asked, notes };
}

describe("LOOM_EXECUTION_MODE=ask", () => {
  it("asks once, and does what the person says", async () => {
    const { asked, maxParallel } = await choose(WIDE, "s");
    expect(maxParallel).toBe(1);
    expect(asked).toMatchInlineSnapshot(`
      [
        "Up to 2 stages of this plan can run at the same time. Run them in parallel or one after the other (sequential)? [P/s] ",
      ]
    `);
    for (const answer of ["sequential", " S ", "one after the other"])
      expect((await choose(WIDE, answer)).maxParallel).toBe(1);
    for (const answer of ["", "p", "parallel", "yes"])
      expect((await choose(WIDE, answer)).maxParallel).toBe(4);
  });

  it("does not ask where the only other stage comes last", async () => {
    const { asked } = await choose([...CHAIN, { id: "all", synthesis: true }], "s");
    expect(asked).toEqual([]);
  });

  it("starts nothing when the person leaves", async () => {
    await expect(choose(WIDE, null)).rejects.toMatchObject({
      message: "Nothing was started.",
      exitCode: 130,
    });
  });

  it("runs in parallel and says so where there is nobody to ask", async () => {
    expect(await choose(WIDE, "nobody")).toMatchInlineSnapshot(`
      {
        "asked": [],
        "maxParallel": 4,
        "notes": [
          "LOOM_EXECUTION_MODE=ask, but there is nobody to ask: up to 2 stages run at the same time.",
        ],
      }
    `);
    const json = await choose(WIDE, "s", { options: { json: true, maxParallel: null } });
    expect([json.maxParallel, json.asked.length, json.notes.length]).toEqual([4, 0, 1]);
  });

  it("does not ask where nothing could run at the same time, or where it is said already", async () => {
    const silent = [
      await choose(CHAIN, "s"),
      await choose(WIDE, "s", { wanted: { maxParallel: 1 } }),
      await choose(WIDE, "s", { executionMode: "parallel" }),
      await choose(WIDE, "s", { options: { json: false, maxParallel: 4 } }),
    ];
    expect(silent.map(({ asked, notes }) => [...asked, ...notes])).toEqual([[], [], [], []]);
  });
});
