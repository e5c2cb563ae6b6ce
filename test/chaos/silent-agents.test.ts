import { describe, expect, it } from "vitest";
import { expectTidy, makeScene, mergedStages, type Scene } from "../support/chaos.ts";
import { isAlive } from "../support/living-processes.ts";
import { ending } from "../support/loom-cli.ts";

const ACCEPTANCE = { acceptance: ["grep -q good one.txt"] };

function failuresOf(scene: Scene): unknown[] {
  return scene
    .ledger()
    .filter((event) => event.type === "attempt-failed")
    .map((event) => event.failure);
}

describe("the stall guard (F27)", () => {
  it("ends a silent agent, and work that passes its checks goes through", async () => {
    const scene = makeScene([{ id: "one", no_progress_secs: 1, ...ACCEPTANCE }]);
    const finished = await scene.run(["run", "PLAN.md", "--json"], "echo good > one.txt; sleep 600");
    expect(ending(finished).stages.one).toMatchObject({ state: "completed", attempts: 1 });
    expect(scene.ledger()).toContainEqual(
      expect.objectContaining({ type: "attempt-committed", stalled: true }),
    );
    expect(mergedStages(scene)).toEqual(["one"]);
    expectTidy(scene);
  });

  it("calls it a stall when the work does not pass, or when there is none", async () => {
    const scene = makeScene([{ id: "one", retries: 1, ...ACCEPTANCE }]);
    const agent = '[ "$LOOM_ATTEMPT" = 1 ] || echo bad > one.txt; sleep 600';
    const finished = await scene.run(["run", "PLAN.md", "--json"], agent, { LOOM_NO_PROGRESS_SECS: "0.8" });
    expect(ending(finished).status).toBe("blocked");
    expect(failuresOf(scene)).toMatchObject([
      {
        kind: "stalled",
        message: "The agent gave no sign of life for 0.8 s and left nothing to check.",
      },
      {
        kind: "stalled",
        message: expect.stringContaining(
          "The agent stopped giving signs of life, and what it left did not pass:",
        ),
      },
    ]);
    expect(mergedStages(scene)).toEqual([]);
    expect(scene.living()).toEqual([]);
  });

  it("is pushed back by signs of life", async () => {
    const scene = makeScene([{ id: "one", ...ACCEPTANCE }]);
    // Longer than the window as a whole, but never silent for as long as that.
    const agent =
      "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo still here; sleep 0.2; done; echo good > one.txt";
    const finished = await scene.run(["run", "PLAN.md", "--json"], agent, { LOOM_NO_PROGRESS_SECS: "2" });
    expect(ending(finished).stages.one).toMatchObject({ state: "completed", attempts: 1 });
    expect(scene.ledger()).toContainEqual(
      expect.objectContaining({ type: "attempt-committed", stalled: false }),
    );
  });
});

describe("the ceiling", () => {
  it("ends an agent that never stops talking, and is told apart from a stall", async () => {
    const scene = makeScene([{ id: "one", retries: 0, ...ACCEPTANCE }]);
    const finished = await scene.run(
      ["run", "PLAN.md", "--json"],
      "echo good > one.txt; while :; do echo still here; sleep 0.05; done",
      { LOOM_TIMEOUT: "0.8", LOOM_NO_PROGRESS_SECS: "30" },
    );
    expect(ending(finished).status).toBe("blocked");
    expect(failuresOf(scene)).toMatchObject([
      {
        kind: "timeout",
        message: "The agent was still working after 0.8 s, the ceiling of this stage.",
        evidence: expect.stringContaining("still here"),
      },
    ]);
    // What it had done is kept for whoever retries.
    expect(scene.ledger().map((event) => event.type)).toContain("work-kept");
    expect(scene.living()).toEqual([]);
  });

  it("ends an agent that ignores every kind request", async () => {
    const scene = makeScene([{ id: "one", retries: 0, ...ACCEPTANCE }]);
    const agent = `trap '' TERM INT HUP; setsid /bin/sh -c 'trap "" TERM; echo $$ > "$CHAOS/orphan"; while :; do sleep 0.1; done' &
      while :; do sleep 0.1; done`;
    const finished = await scene.run(["run", "PLAN.md", "--json"], agent, { LOOM_TIMEOUT: "0.5" });
    expect(ending(finished).status).toBe("blocked");
    expect(failuresOf(scene)).toMatchObject([{ kind: "timeout" }]);
    expect(isAlive(Number(scene.read("orphan")))).toBe(false);
    expect(scene.living()).toEqual([]);
  });
});

describe("the tree of the next attempt (F29)", () => {
  it("holds no orphan, no litter and no half-written file of the one before", async () => {
    const scene = makeScene([
      { id: "one", retries: 1, ...ACCEPTANCE },
      { id: "two", dependencies: ["one"] },
    ]);
    // It would write for ever, ignores what it leaves in ignored places, and makes a mess of git as well.
    const messy = `
      setsid /bin/sh -c 'trap "" TERM; while :; do date > one.txt; date > litter.tmp; done' &
      mkdir -p .cache && echo junk > .cache/junk && echo .cache > .gitignore
      chmod 000 .cache
      git add one.txt 2>/dev/null; rm -f .git
      sleep 0.2; exit 1`;
    const tidy = `
      ls -a > "$CHAOS/seen-$LOOM_STAGE_ID"
      echo good > one.txt; rm -f litter.tmp .gitignore; echo x > "$LOOM_STAGE_ID.out"
      sleep 0.2; grep -q good one.txt`;
    const agent = `if [ "$LOOM_STAGE_ID" = one ] && [ "$LOOM_ATTEMPT" = 1 ]; then ${messy}
      else ${tidy}; fi`;
    const finished = await scene.run(["run", "PLAN.md", "--json", "--max-parallel", "1"], agent);
    expect(ending(finished).status).toBe("completed");
    expect(ending(finished).stages.one).toMatchObject({ attempts: 2 });
    expect(scene.read("seen-two").split("\n")).toEqual([
      ".",
      "..",
      ".git",
      "PLAN.md",
      "README.md",
      "one.out",
      "one.txt",
      "",
    ]);
    expect(scene.repo.git("show", "main:one.txt")).toBe("good");
    expectTidy(scene);
  });
});
