import { describe, expect, it } from "vitest";
import type { MergePolicy } from "../../../src/core/merge/merge-policy.ts";
import { type Action, decide } from "../../../src/core/run/decide.ts";
import { aRun, failure, shaOf } from "../../support/a-run.ts";

const REVIEW: MergePolicy = { mode: "review", method: null, stack: "auto", deleteBranches: true };
const CHAIN = [
  { id: "one" },
  { id: "two", dependencies: ["one"] },
  { id: "three", dependencies: ["one", "two"] },
];

type Story = ReturnType<typeof aRun>;

function due({ run, now }: Story): string[] {
  return decide(run, now).map((action: Action) =>
    "stage" in action ? `${action.kind} ${action.stage}` : action.kind,
  );
}

const approval = {
  by: "wes",
  role: "write",
  head: shaOf("head"),
  blob: shaOf("blob"),
  via: "label",
} as const;

function approved(story: Story): Story {
  return story.add({ type: "run-approved", at: new Date(story.now).toISOString(), ...approval });
}

/** Proved and open as a pull request, standing on these. */
function offers(story: Story, stage: string, ...parents: string[]): Story {
  story.starts(stage).commits(stage);
  const record = story.run.stages.get(stage);
  const stack = parents.map((parent) => ({
    stage: parent,
    tip: story.run.stages.get(parent)?.branch?.tip ?? "",
  }));
  story.add({
    type: "attempt-committed",
    at: new Date(story.now).toISOString(),
    stage,
    attempt: record?.attempts ?? 1,
    commit: shaOf(`${stage}-1`),
    base: stack.at(-1)?.tip ?? shaOf("base"),
    files: [],
    stalled: false,
    stack,
  });
  return story.verifies(stage).publishes(stage).waits(stage);
}

describe("a plan that needs approval", () => {
  it("starts nothing before it is given", () => {
    const story = aRun(CHAIN, { hosted: { needsApproval: true } });
    expect(due(story)).toEqual([]);
    expect(due(approved(story))).toEqual(["queue one"]);
  });

  it("stops its agents when the approval is voided, and goes on when it is given again", () => {
    const story = approved(aRun(CHAIN, { hosted: { needsApproval: true } })).starts("one");
    const at = new Date(story.now).toISOString();
    story.add({ type: "approval-voided", at, cause: { kind: "label-removed", label: "go" } });
    expect(due(story)).toEqual(["stop one"]);
    story.add({ type: "attempt-interrupted", at, stage: "one", attempt: 1, reason: "stopped" });
    expect(due(story)).toEqual([]);
    expect(due(approved(story))).toEqual(["queue one"]);
  });
});

describe("where people merge", () => {
  it("a stage starts when what it depends on is proved and open, not before", () => {
    const story = aRun(CHAIN, { hosted: { merge: REVIEW } })
      .starts("one")
      .commits("one")
      .verifies("one");
    expect(due(story)).toEqual([]);
    story.publishes("one").waits("one");
    expect(due(story)).toEqual(["queue two"]);
  });

  it("a stage that waits for a person is no standstill and is left alone", () => {
    const story = aRun([{ id: "one" }], { hosted: { merge: REVIEW } });
    offers(story, "one");
    expect(due(story)).toEqual([]);
  });

  it("a stage follows when what it stands on was merged", () => {
    const story = aRun(CHAIN, { hosted: { merge: REVIEW } });
    offers(story, "one");
    offers(story, "two", "one");
    story.merges("one");
    expect(due(story)).toContain("merge two");
  });

  it("what stands on a stage that is being moved waits until that has come to rest", () => {
    const story = aRun(CHAIN, { hosted: { merge: REVIEW } });
    offers(story, "one");
    offers(story, "two", "one");
    offers(story, "three", "one", "two");
    story.merges("one");
    expect(due(story)).toEqual(["merge two"]);
    const at = new Date(story.now).toISOString();
    story.add({
      type: "attempt-committed",
      at,
      stage: "two",
      attempt: 1,
      commit: shaOf("two-moved"),
      base: shaOf("one-merged"),
      files: [],
      stalled: false,
      stack: [],
    });
    expect(due(story)).toEqual([]);
    story.verifies("two").publishes("two").waits("two");
    expect(due(story)).toEqual(["merge three"]);
  });

  it("looks again at the time that was named", () => {
    const story = aRun([{ id: "one" }])
      .starts("one")
      .commits("one")
      .verifies("one")
      .publishes("one");
    story.waits("one", story.now + 60_000);
    expect(due(story)).toEqual(["wake"]);
    expect(due(story.at(61))).toEqual(["merge one"]);
  });

  it("waits while what it builds on does not go together, and is freed by a merge", () => {
    const both = [{ id: "left" }, { id: "right" }, { id: "both", dependencies: ["left", "right"] }];
    const story = aRun(both, { hosted: { merge: REVIEW } });
    offers(story, "left");
    offers(story, "right");
    story.queues("both");
    story.add({
      type: "stack-conflicted",
      at: new Date(story.now).toISOString(),
      stage: "both",
      files: ["x"],
    });
    expect(due(story)).toEqual([]);
    expect(story.run.stackConflicts).toBe(1);
    story.merges("left");
    expect(due(story)).toEqual(["start both"]);
    expect(story.run.stackConflicts).toBe(0);
  });
});

describe("people at the wheel", () => {
  const at = (story: Story): string => new Date(story.now).toISOString();

  it("a pause lets nothing start and nothing be merged", () => {
    const story = aRun([{ id: "one" }, { id: "two" }])
      .queues("two")
      .starts("one")
      .commits("one");
    story.verifies("one").publishes("one");
    story.add({ type: "run-paused", at: at(story), cause: { kind: "person", by: "wes" } });
    expect(due(story)).toEqual([]);
    story.add({ type: "run-unpaused", at: at(story), by: "wes" });
    expect(due(story)).toEqual(["start two", "merge one"]);
  });

  it("a spent budget pauses the run once, and whoever lets it go on is not asked again", () => {
    const story = aRun([{ id: "one" }, { id: "two" }]);
    const { settings } = story.run;
    const tight = aRun([{ id: "one" }, { id: "two" }], {
      hosted: { settings: { ...settings, budgetUsd: 0.01 } },
    });
    tight.starts("one").commits("one");
    expect(due(tight)).toEqual(["pause"]);
    tight.add({ type: "run-paused", at: at(tight), cause: { kind: "budget", usd: 0.01 } });
    expect(due(tight)).not.toContain("start two");
    tight.add({ type: "run-unpaused", at: at(tight), by: "wes" });
    expect(due(tight)).toContain("queue two");
  });

  it("a stage that a person took waits for them, and comes back to them when it does not pass", () => {
    const story = aRun([{ id: "one" }])
      .starts("one")
      .fails("one", failure("checks-failed", "It failed."));
    story.add({ type: "stage-taken", at: at(story), stage: "one", by: "wes", branch: "loom/r/one" });
    expect(due(story)).toEqual([]);
    story.add({
      type: "stage-handed-over",
      at: at(story),
      stage: "one",
      attempt: 2,
      by: "wes",
      commit: shaOf("pushed"),
      base: shaOf("base"),
      branch: "loom/r/one",
    });
    expect(due(story)).toEqual(["start one"]);
    story.add({ type: "attempt-resumed", at: at(story), stage: "one", attempt: 2, claim: "c2" });
    expect(story.run.stages.get("one")?.state).toMatchObject({ kind: "executing", phase: "committed" });
    story.fails("one", failure("checks-failed", "It failed again."));
    expect(due(story)).toEqual(["hand-back one"]);
  });
});
