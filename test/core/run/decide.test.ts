import { describe, expect, it } from "vitest";
import { failures } from "../../../src/core/report/texts/failure-texts.ts";
import { type Action, decide } from "../../../src/core/run/decide.ts";
import { aRun, failure, shaOf } from "../../support/a-run.ts";

type Story = ReturnType<typeof aRun>;

/** What is due, as a person would say it. */
function due({ run, now }: Story): string[] {
  return decide(run, now).map(words);
}

function words(action: Action): string {
  switch (action.kind) {
    case "queue": {
      const wait = action.notBefore === null ? "" : " later";
      return `queue ${action.stage}/${action.attempt}${wait}`;
    }
    case "start":
      return `start ${action.stage}/${action.attempt}`;
    case "block":
      return `block ${action.stage}: ${action.failure.kind}`;
    case "stop":
      return `stop ${action.stage}${action.idle ? " (idle)" : ""}`;
    case "merge":
    case "skip":
      return `${action.kind} ${action.stage}`;
    case "finish":
      return `finish ${action.status}`;
    default:
      return action.kind;
  }
}

const CHAIN = [{ id: "build" }, { id: "deploy", dependencies: ["build"] }, { id: "docs" }];
const FAILED = failure("checks-failed", "It failed.");

describe("what is due", () => {
  it("at first: what depends on nothing is queued", () => {
    expect(due(aRun(CHAIN))).toEqual(["queue build/1", "queue docs/1"]);
  });

  it("what is queued is started, the longest way first", () => {
    expect(due(aRun(CHAIN).queues("docs").queues("build"))).toEqual(["start build/1", "start docs/1"]);
  });

  it("no more starts than may run at a time, and a stage that waits for its merge takes no place", () => {
    const many = ["a", "b", "c", "d", "e", "f"].map((id) => ({ id }));
    const story = aRun(many);
    for (const { id } of many) story.queues(id);
    expect(due(story)).toHaveLength(4);
    story.starts("a");
    expect(due(story)).toHaveLength(3);
    story.commits("a").verifies("a").publishes("a");
    expect(due(story)).toEqual(["start b/1", "start c/1", "start d/1", "start e/1", "merge a"]);
  });

  it("nothing starts while a dependency is verified but unmerged", () => {
    const story = aRun(CHAIN).starts("build").starts("docs").commits("build").verifies("build");
    expect(due(story)).toEqual([]);
    expect(due(story.publishes("build"))).toEqual(["merge build"]);
    expect(due(story.merges("build"))).toEqual(["queue deploy/1"]);
  });

  it("a skipped dependency counts as taken care of", () => {
    expect(due(aRun(CHAIN).skips("build", "Done by hand.").starts("docs"))).toEqual(["queue deploy/1"]);
  });

  it("one merge at a time, in the order in which stages became ready", () => {
    const story = aRun([{ id: "a" }, { id: "b" }])
      .starts("a")
      .starts("b");
    story.commits("b").verifies("b").publishes("b").commits("a").verifies("a").publishes("a");
    expect(due(story)).toEqual(["merge b"]);
    expect(due(story.merges("b"))).toEqual(["merge a"]);
  });

  it("a failure that an agent can fix is tried again at once, under the next number", () => {
    expect(
      due(
        aRun([{ id: "a" }])
          .starts("a")
          .fails("a", FAILED),
      ),
    ).toEqual(["queue a/2"]);
  });

  it("a crash waits, and until then the run only wants to be woken", () => {
    const story = aRun([{ id: "a" }])
      .starts("a")
      .fails("a", failure("crashed", "It died."));
    expect(due(story)).toEqual(["queue a/2 later"]);
    story.queues("a", 30);
    expect(due(story)).toEqual(["wake"]);
    expect(due(story.at(31))).toEqual(["start a/2"]);
  });

  it("after the last attempt the stage is blocked, with what stands behind it", () => {
    const story = aRun(CHAIN, {}).starts("docs");
    for (let attempt = 0; attempt < 3; attempt += 1) story.starts("build").fails("build", FAILED);
    expect(due(story)).toEqual(["block build: checks-failed"]);
    story.blocks("build", FAILED);
    expect(due(story)).toEqual(["block deploy: dependency"]);
    story.blocks("deploy", failures.waitsFor("build"));
    expect(due(story)).toEqual([]);
    expect(due(story.passes("docs"))).toEqual(["finish blocked"]);
  });

  it("a question waits for a person, and for nothing else", () => {
    const story = aRun([{ id: "a" }])
      .starts("a")
      .asks("a", "Which one?");
    expect(due(story)).toEqual([]);
  });

  it("an attempt that was cut off goes on under its number; the third death is the last", () => {
    const story = aRun([{ id: "a" }]).starts("a");
    const die = (): Story =>
      story.add({
        type: "attempt-interrupted",
        at: new Date(story.now).toISOString(),
        stage: "a",
        attempt: 1,
        reason: "died",
      });
    const resume = (): Story =>
      story.queues("a").add({
        type: "attempt-resumed",
        at: new Date(story.now).toISOString(),
        stage: "a",
        attempt: 1,
        claim: "c",
      });
    expect(due(die())).toEqual(["queue a/1"]);
    resume();
    expect(due(die())).toEqual(["queue a/1"]);
    resume();
    expect(due(die())).toEqual(["block a: quarantined"]);
  });

  it("a conflict gets sessions of its own, three of them", () => {
    const story = aRun([{ id: "a" }]);
    for (let count = 1; count <= 4; count += 1) {
      story.starts("a").commits("a").verifies("a").publishes("a").conflicts("a", ["x.ts"]);
      expect(due(story)).toEqual([count <= 3 ? `queue a/${count + 1}` : "block a: conflict-unresolved"]);
    }
  });

  it("a synthesis stage waits for every ordinary one", () => {
    const story = aRun([{ id: "a" }, { id: "b" }, { id: "sum", synthesis: true }])
      .starts("a")
      .starts("b");
    expect(due(story.passes("a"))).toEqual([]);
    expect(due(story.passes("b"))).toEqual(["queue sum/1"]);
  });

  it("a synthesis stage behind a blocked one is closed, so that the run can end", () => {
    const story = aRun([{ id: "a" }, { id: "sum", synthesis: true }]).blocks("a", FAILED);
    expect(due(story)).toEqual(["block sum: dependency"]);
  });

  it("when all is merged: the end, then the record, then nothing", () => {
    const story = aRun([{ id: "a" }])
      .starts("a")
      .passes("a");
    expect(due(story)).toEqual(["finish completed"]);
    expect(due(story.finishes("completed"))).toEqual(["record"]);
    expect(due(story.records())).toEqual([]);
  });

  it("asking twice gives the same answer", () => {
    const story = aRun(CHAIN).queues("build");
    expect(decide(story.run, story.now)).toEqual(decide(story.run, story.now));
  });
});

describe("winding down", () => {
  it("a cancel stops what runs, skips what does not, and then ends the run", () => {
    const story = aRun(CHAIN).starts("build");
    story.add({ type: "cancel-requested", at: new Date(story.now).toISOString(), by: "sam" });
    expect(due(story)).toEqual(["stop build", "skip deploy", "skip docs"]);
  });

  it("a stage that merely waits for its merge has nobody who could stop it", () => {
    const story = aRun([{ id: "a" }])
      .starts("a")
      .commits("a")
      .verifies("a")
      .publishes("a");
    story.add({ type: "cancel-requested", at: new Date(story.now).toISOString(), by: "sam" });
    expect(due(story)).toEqual(["stop a (idle)"]);
    story.add({
      type: "merge-started",
      at: new Date(story.now).toISOString(),
      stage: "a",
      attempt: 1,
      commit: shaOf("a-1"),
      onto: shaOf("base"),
    });
    expect(due(story)).toEqual(["stop a"]);
  });

  it("a critical stage that is blocked closes the rest, and the run has failed", () => {
    const story = aRun([{ id: "vital", critical: true }, { id: "a" }, { id: "b" }]).starts("a");
    story.blocks("vital", FAILED);
    expect(due(story)).toEqual(["stop a", "block b: dependency"]);
    story
      .fails("a", FAILED)
      .blocks("a", failures.waitsFor("vital", true))
      .blocks("b", failures.waitsFor("vital", true));
    expect(due(story)).toEqual(["finish failed"]);
  });

  it("a critical stage that only waits for another is no culprit", () => {
    const story = aRun([{ id: "a" }, { id: "vital", critical: true, dependencies: ["a"] }, { id: "b" }]);
    story.blocks("a", FAILED).blocks("vital", failures.waitsFor("a"));
    expect(due(story)).toEqual(["queue b/1"]);
  });
});
