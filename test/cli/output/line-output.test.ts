import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { createJsonOutput } from "../../../src/cli/output/json-output.ts";
import { createPlainOutput } from "../../../src/cli/output/plain-output.ts";
import type { RunOutput } from "../../../src/cli/output/run-output.ts";
import { aRun, CALCULATOR } from "../../support/a-run.ts";

const formatTime = (at: number): string => new Date(at).toISOString().slice(11, 19);

function told(create: (stream: PassThrough) => RunOutput): string {
  const stream = new PassThrough();
  const output = create(stream);
  const story = aRun(CALCULATOR.slice(0, 1))
    .at(1)
    .starts("lexer")
    .does("lexer", "Read src/lexer.ts")
    .at(13)
    .passes("lexer");
  story.finishes("completed").records();
  output.note("A warning about the plan.");
  for (const item of story.items) output.show(item);
  output.show({ kind: "notice", run: story.run.id, text: "A notice." });
  output.finish({ run: story.run, status: "completed", elapsedMs: 13_000 });
  output.close();
  return String(stream.read());
}

describe("plain output", () => {
  it("is one line per thing worth knowing, and the summary", () => {
    expect(told((stream) => createPlainOutput(stream, { color: false, formatTime }))).toMatchInlineSnapshot(`
      "A warning about the plan.
      12:00:00  Run calc-3f2a1b: 1 stage into main with scripted, 4 at a time.
      12:00:01  lexer  started (attempt 1, scripted)
      12:00:13  lexer  changed 2 files, verifying 21d10ac
      12:00:13  lexer  verified: 2 checks passed
      12:00:13  lexer  merged as ba4a3f2 into main (1 of 1)
      12:00:13  Run calc-3f2a1b completed: 1 of 1 stage merged into main in 13s.
      12:00:13  Recorded in .loom/calc-3f2a1b/ by commit 593058c.
      A notice.

      Run calc-3f2a1b completed in 13s: 1 of 1 stage merged into main.

      Merged, in this order
        1  ba4a3f2  lexer  1 attempt  12s

      Where to look
        git log main           one commit per stage
        .loom/calc-3f2a1b/     plan, progress, history, reports
        loom logs calc-3f2a1b  what the agents wrote
      "
    `);
  });
});

describe("JSON output", () => {
  it("is one object per line, each with the id of its run, the last one with everything", () => {
    const lines = told(createJsonOutput).trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).type)).toMatchInlineSnapshot(`
      [
        "notice",
        "run-created",
        "stage-queued",
        "attempt-started",
        "session-started",
        "activity",
        "session-ended",
        "attempt-committed",
        "attempt-verified",
        "stage-published",
        "merge-started",
        "stage-merged",
        "run-recorded",
        "notice",
        "run-finished",
      ]
    `);
    expect(lines.slice(0, 5).join("\n")).toMatchInlineSnapshot(`
      "{"type":"notice","text":"A warning about the plan."}
      {"type":"run-created","at":"2026-01-31T12:00:00.000Z","run":"calc-3f2a1b","generation":0,"planPath":"PLAN.md","target":"main","base":"3ddc94d83ddc94d83ddc94d83ddc94d83ddc94d8","gate":null,"settings":{"harness":"scripted","harnessWins":false,"maxParallel":4,"retries":2,"timeoutSecs":3600,"noProgressSecs":600,"transientDelaysSecs":[0,600,3600],"backoffSecs":{"base":30,"max":300}}}
      {"type":"stage-queued","at":"2026-01-31T12:00:01.000Z","stage":"lexer","attempt":1,"notBefore":null,"run":"calc-3f2a1b"}
      {"type":"attempt-started","at":"2026-01-31T12:00:01.000Z","stage":"lexer","attempt":1,"claim":"c1","base":"3ddc94d83ddc94d83ddc94d83ddc94d83ddc94d8","run":"calc-3f2a1b"}
      {"type":"session-started","at":"2026-01-31T12:00:01.000Z","stage":"lexer","attempt":1,"session":"lexer-1","harness":"scripted","prompt":"stage","marker":"m-lexer-1","tree":"/home/sam/project/.git/loom/trees/lexer-1","run":"calc-3f2a1b"}"
    `);
    expect(lines.at(-1)).toMatchInlineSnapshot(
      `"{"type":"run-finished","run":"calc-3f2a1b","status":"completed","stages":{"lexer":{"state":"completed","attempts":1,"commit":"21d10acf21d10acf21d10acf21d10acf21d10acf","merged":"ba4a3f24ba4a3f24ba4a3f24ba4a3f24ba4a3f24"}},"elapsedMs":13000}"`,
    );
  });

  it("leaves the plan's text out", () => {
    expect(told(createJsonOutput)).not.toContain("planText");
  });
});

describe.each([
  ["plain", (stream: PassThrough) => createPlainOutput(stream, { color: false })],
  ["JSON", createJsonOutput],
])("%s output", (_name, create) => {
  it("goes on when the reader is gone, as with `loom run | head`", async () => {
    const stream = new PassThrough();
    const output = create(stream);
    const story = aRun([{ id: "build" }]).starts("build");
    for (const item of story.items) output.show(item);
    stream.destroy(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
    await new Promise((resolve) => stream.once("close", resolve));
    for (const item of story.passes("build").items) output.show(item);
    output.finish({ run: story.run, status: "completed", elapsedMs: 1 });
    output.close();
  });
});
