import { describe, expect, it } from "vitest";
import type { MergePolicy } from "../../../src/core/merge/merge-policy.ts";
import { type Action, decide } from "../../../src/core/run/decide.ts";
import { aRun, failure, shaOf } from "../../support/a-run.ts";

const REVIEW: MergePolicy = { mode: "review", method: null, stack: "auto", deleteBranches: true };
const PAIR = [{ id: "one" }, { id: "two", dependencies: ["one"] }];
type Story = ReturnType<typeof aRun>;

function due({ run, now }: Story): string[] {
  return decide(run, now).map((action: Action) =>
    "stage" in action ? `${action.kind} ${action.stage}` : action.kind,
  );
}

const at = ({ now }: Story): string => new Date(now).toISOString();
const offers = (story: Story, stage: string): Story =>
  story.starts(stage).commits(stage).verifies(stage).publishes(stage);
const holds = (story: Story, stage: string): Story =>
  story.add({
    type: "merge-held",
    at: at(story),
    stage,
    attempt: 1,
    failure: failure("branch-taken", "Somebody pushed."),
  });

describe("what stands on a stage that is open again", () => {
  it("is not moved while nobody knows what it has to stand on", () => {
    const story = offers(aRun(PAIR, { hosted: { merge: REVIEW } }), "one").waits("one");
    offers(story, "two");
    expect(due(story)).toEqual(["merge two"]);
    expect(due(holds(story, "one"))).toEqual(["block one"]);
    const taken = { type: "stage-taken", at: at(story), stage: "one", by: "wes", branch: "b" } as const;
    expect(due(story.add(taken))).toEqual([]);
  });

  it("does not start, and is closed when a person has to act below", () => {
    const story = offers(aRun(PAIR, { hosted: { merge: REVIEW } }), "one").waits("one");
    story.add({ type: "stage-queued", at: at(story), stage: "two", attempt: 1, notBefore: null });
    expect(due(story)).toEqual(["start two"]);
    holds(story, "one").add({
      type: "stage-blocked",
      at: at(story),
      stage: "one",
      failure: failure("branch-taken", "Somebody pushed."),
    });
    expect(due(story)).toEqual(["block two"]);
  });
});

describe("a stage that a person merged into the one below", () => {
  it("is left alone until that one is merged", () => {
    const story = offers(aRun(PAIR, { hosted: { merge: REVIEW } }), "one").waits("one");
    offers(story, "two").add({
      ...{ type: "stage-folded", at: at(story), stage: "two", attempt: 1 },
      ...{ into: "one", reason: "It comes in with #1.", next: "Merge #1." },
    });
    expect(story.run.stages.get("two")).toMatchObject({ foldedInto: "one", stack: [] });
    expect(due(story)).toEqual([]);
  });
});

describe("a stage that Loom had given up on", () => {
  it("takes all that waited for it along when a person merges it", () => {
    const story = offers(aRun(PAIR), "one");
    holds(story, "one");
    const closed = failure("merge-blocked", "A policy is in the way.");
    story.add({ type: "stage-blocked", at: at(story), stage: "one", failure: closed });
    expect(due(story)).toEqual(["block two"]);
    const waits = failure("dependency", "It waits for one.");
    story.add({ type: "stage-blocked", at: at(story), stage: "two", failure: waits });
    story.add({ type: "run-finished", at: at(story), status: "blocked" });
    expect(due(story)).toEqual([]);
    const commit = shaOf("one-1");
    story.add({ type: "stage-merged", at: at(story), stage: "one", attempt: 1, commit, merged: shaOf("m") });
    expect(story.run.status).toBe("running");
    expect(due(story)).toEqual(["queue two"]);
  });
});
