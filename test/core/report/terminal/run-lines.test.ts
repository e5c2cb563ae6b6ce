import { describe, expect, it } from "vitest";
import { describeEvent } from "../../../../src/core/report/terminal/run-lines.ts";
import { reportTexts } from "../../../../src/core/report/texts/report-texts.ts";
import { branch, leaf } from "../../../../src/core/verify/verdict.ts";
import { aRun, CALCULATOR, failure, shaOf } from "../../../support/a-run.ts";

const formatTime = (at: number): string => new Date(at).toISOString().slice(11, 19);

function lines(story: ReturnType<typeof aRun>): string {
  return story.items
    .flatMap((item) => (item.kind === "event" ? [describeEvent(item.event, item.run, formatTime)] : []))
    .filter((line) => line !== null)
    .join("\n");
}

describe("the lines of a run", () => {
  it("tell how a run goes from start to end", () => {
    const story = aRun(CALCULATOR.slice(0, 3))
      .at(1)
      .starts("lexer")
      .at(13)
      .passes("lexer")
      .at(14)
      .starts("parser")
      .starts("printer");
    story.at(39).commits("parser", ["src/parser.ts"]).at(40);
    story.fails("parser", failure("checks-failed", "1 of 2 checks failed: `npm test` exited with 1."));
    story
      .at(41)
      .starts("parser")
      .at(50)
      .passes("parser")
      .at(55)
      .passes("printer")
      .finishes("completed")
      .records();
    expect(lines(story)).toMatchInlineSnapshot(`
      "12:00:00  Run calc-3f2a1b: 3 stages into main with scripted, 4 at a time.
      12:00:01  lexer    started (attempt 1, scripted)
      12:00:13  lexer    changed 2 files, verifying 21d10ac
      12:00:13  lexer    verified: 2 checks passed
      12:00:13  lexer    merged as ba4a3f2 into main (1 of 3)
      12:00:14  parser   started (attempt 1, scripted)
      12:00:14  printer  started (attempt 1, scripted)
      12:00:39  parser   changed 1 file, verifying 918df4c
      12:00:40  parser   attempt 1 failed: 1 of 2 checks failed: \`npm test\` exited with 1; trying again
      12:00:41  parser   started (attempt 2, scripted)
      12:00:50  parser   changed 2 files, verifying 948df98
      12:00:50  parser   verified: 2 checks passed
      12:00:50  parser   merged as 5bb4ab4 into main (2 of 3)
      12:00:55  printer  changed 2 files, verifying a277c3e
      12:00:55  printer  verified: 2 checks passed
      12:00:55  printer  merged as c878f88 into main (3 of 3)
      12:00:55  Run calc-3f2a1b completed: 3 of 3 stages merged into main in 55s.
      12:00:55  Recorded in .loom/calc-3f2a1b/ by commit 593058c."
    `);
  });

  it("tell what happens in a session that people should know of", () => {
    const one = { at: "2026-01-31T12:00:02.000Z", stage: "a", attempt: 1 } as const;
    const story = aRun([{ id: "a" }])
      .at(1)
      .starts("a")
      .at(2);
    story.add({ type: "run-named", at: one.at, name: "A basket for the shop" });
    story.add({ type: "hosts-denied", ...one, by: "agent", hosts: ["example.org"] });
    story.add({ type: "hosts-denied", ...one, by: "setup", hosts: ["a.example", "b.example"] });
    story.add({ type: "hosts-denied", ...one, by: "checks", hosts: ["c.example"] });
    story.add({
      type: "harness-exhausted",
      ...one,
      harness: "claude",
      until: Date.parse(one.at) + 3_600_000,
    });
    story.add({ type: "handed-off", ...one, session: "a-1-x", by: "loom", document: "" });
    story.add({
      type: "attempt-warned",
      ...one,
      text: reportTexts.missing(["Task Report", "Downstream Context"]),
    });
    expect(lines(story).split("\n").slice(2).join("\n")).toMatchInlineSnapshot(`
      "12:00:02  It is called: A basket for the shop
      12:00:02  a  the agent asked for 1 host that the sandbox does not allow: example.org
      12:00:02  a  set-up asked for 2 hosts that the sandbox does not allow: a.example, b.example
      12:00:02  a  a check asked for 1 host that the sandbox does not allow: c.example
      12:00:02  a  claude is out of quota for 1h 00m
      12:00:02  a  used up its context; a fresh session goes on from its hand-off
      12:00:02  a  warning: The agent ended without "Task Report" and "Downstream Context", also when it was asked again."
    `);
  });

  it("say what follows a failure: another try, another try later, or nothing more", () => {
    const story = aRun([{ id: "build", retries: 1 }, { id: "busy" }]);
    story
      .starts("build")
      .fails("build", failure("crashed", "The agent was ended by SIGKILL."))
      .queues("build", 30)
      .at(30);
    story.starts("build").fails("build", failure("crashed", "The agent was ended by SIGKILL."));
    story.blocks("build", failure("crashed", "The agent was ended by SIGKILL."));
    story.starts("busy").fails("busy", failure("transient", "The agent could not work just now: overloaded"));
    expect(lines(story)).toMatchInlineSnapshot(`
      "12:00:00  Run calc-3f2a1b: 2 stages into main with scripted, 4 at a time.
      12:00:00  build  started (attempt 1, scripted)
      12:00:00  build  attempt 1 failed: The agent was ended by SIGKILL; trying again in 30s
      12:00:30  build  started (attempt 2, scripted)
      12:00:30  build  attempt 2 failed: The agent was ended by SIGKILL
      12:00:30  build  blocked after 2 attempts
      12:00:30  busy   started (attempt 1, scripted)
      12:00:30  busy   attempt 1 failed: The agent could not work just now: overloaded; trying again"
    `);
  });

  it("tell of conflicts, questions, warnings, silence and interruptions", () => {
    const story = aRun([{ id: "one" }, { id: "two" }, { id: "three" }]);
    const at = "2026-01-31T12:01:00Z";
    story.starts("one").asks("one", "Tabs or\nspaces?");
    story.add({ type: "input-answered", at, stage: "one", attempt: 1, by: "sam", answer: "Spaces." });
    story.add({ type: "attempt-resumed", at, stage: "one", attempt: 1, claim: "c2" });
    story.add({ type: "attempt-interrupted", at, stage: "one", attempt: 1, reason: "stopped" });
    story.add({ type: "run-resumed", at, by: "sam" });
    story
      .starts("two")
      .commits("two")
      .verifies("two", branch("checks", [leaf("warned", "docs", "has no examples")]));
    story.publishes("two").conflicts("two", ["src/a.ts", "src/b.ts"]);
    story.starts("three");
    story.add({
      type: "attempt-committed",
      at,
      stage: "three",
      attempt: 1,
      commit: shaOf("c"),
      base: shaOf("b"),
      files: ["a"],
      stalled: true,
    });
    story.verifies("three").publishes("three");
    story.add({
      type: "merge-held",
      at,
      stage: "three",
      attempt: 1,
      failure: failure("merge-blocked", "Your checkout of main has changes in a."),
    });
    story.blocks("three", failure("merge-blocked", "Your checkout of main has changes in a."));
    story.add({ type: "stage-reopened", at, stage: "three", by: "sam" }).skips("three", "skipped by sam");
    story.add({ type: "run-stalled", at, explanation: "Nothing can start." });
    story.add({ type: "cancel-requested", at, by: "sam" });
    expect(lines(story)).toMatchInlineSnapshot(`
      "12:00:00  Run calc-3f2a1b: 3 stages into main with scripted, 4 at a time.
      12:00:00  one    started (attempt 1, scripted)
      12:00:00  one    asks: Tabs or spaces? (answer with \`loom answer calc-3f2a1b one "…"\`)
      12:01:00  one    got an answer from sam
      12:01:00  one    goes on (attempt 1)
      12:01:00  one    stopped in attempt 1; its work is kept
      12:01:00  Run calc-3f2a1b goes on: 0 of 3 stages merged so far.
      12:00:00  two    started (attempt 1, scripted)
      12:00:00  two    changed 2 files, verifying 3ed5fec
      12:00:00  two    verified: 1 check passed, with warnings
      12:00:00  two    conflicts with main in src/a.ts, src/b.ts; a session resolves it
      12:00:00  three  started (attempt 1, scripted)
      12:01:00  three  fell silent; what it left (1 file) is being verified
      12:00:00  three  verified: 2 checks passed
      12:00:00  three  blocked: Your checkout of main has changes in a.
      12:01:00  three  reopened by sam
      12:00:00  three  skipped: skipped by sam
      12:01:00  Nothing can start.
      12:01:00  Cancelling, as sam asked: what runs is being stopped."
    `);
  });

  it("name the harness that the stage itself asks for, unless the command line overruled it", () => {
    expect(lines(aRun([{ id: "build", harness: "codex" }]).starts("build"))).toContain(
      "started (attempt 1, codex)",
    );
  });

  it("hold nothing that a terminal would obey", () => {
    const story = aRun([{ id: "build" }])
      .starts("build")
      .asks("build", "\u001b]0;pwned\u0007ok?\nnext line");
    expect(lines(story)).toContain("asks: ok? next line (");
  });
});
