import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createGeminiReader } from "../../../../src/adapters/harness/gemini/read.ts";
import type { ProcessExit } from "../../../../src/ports/process-supervisor.ts";
import {
  aCliSpec,
  errLine,
  findFlaw,
  mutated,
  outLine,
  readStream,
  recorded,
  recordedFailures,
  tellEvents,
} from "../cli/read-stream.ts";

const done: ProcessExit = { kind: "exited", code: 0 };
const exited = (code: number): ProcessExit => ({ kind: "exited", code });
const killed: ProcessExit = { kind: "signalled", signal: "SIGKILL" };

function aReader() {
  return createGeminiReader({ spec: aCliSpec(), model: "gemini-2.5-pro", env: {}, home: "/work/home" });
}

const line = (event: unknown): string => JSON.stringify(event);
const CONVERSATION = "8dcbb2f9-38df-4205-9734-53bbe512d253";
const BEGIN = "2026-11-16T14:00:00.000Z";
const init = line({ type: "init", timestamp: BEGIN, session_id: CONVERSATION, model: "gemini-2.5-pro" });
const says = (content: string): string => line({ type: "message", role: "assistant", content, delta: true });
const result = (parts: object): string => line({ type: "result", status: "success", stats: {}, ...parts });

describe("gemini's stream", () => {
  it("keeps the end of a text whose parts never end", () => {
    const parts = Array.from({ length: 40 }, () => says("x".repeat(100_000)));
    const { end } = readStream(aReader(), [init, ...parts, says("the end"), result({})], done);
    expect(end.text?.length).toBe(1_000_000);
    expect(end.text?.endsWith("the end")).toBe(true);
  });

  it("tells a session that went well", () => {
    const { events, end } = readStream(aReader(), recorded("gemini.ok"), done);
    expect(tellEvents(events)).toMatchInlineSnapshot(`
      [
        "started | gemini-2.5-flash | eba0388f-4a39-4a10-9fb7-71332d7a9381",
        "text | I will write the file.",
        "tool | write_file | hello.txt",
        "tool-result | true | ",
        "text | Now I look at it.",
        "tool | run_shell_command | cat hello.txt && git status --short",
        "tool | read_file | README.md",
        "tool-result | true | hello
      from the model
      ?? hello.txt",
        "tool-result | true | ",
        "text | All is there.

      hello.txt holds two lines.",
        "usage | {"inputTokens":16000,"outputTokens":125,"costUsd":null}",
      ]
    `);
    expect(end).toMatchInlineSnapshot(`
      {
        "failure": null,
        "resume": "eba0388f-4a39-4a10-9fb7-71332d7a9381",
        "text": "All is there.

      hello.txt holds two lines.",
      }
    `);
  });

  it("says why it could not go on", () => {
    const codes = {
      "401": 145,
      "429": 173,
      "429-long": 173,
      "500": 244,
      context: 144,
      "context-stream": 0,
      cut: 1,
      "no-model": 1,
      overloaded: 247,
      "overloaded-stream": 0,
      quota: 173,
    };
    const told = Object.entries(codes).map(([name, code]) => {
      const { failure } = readStream(aReader(), recorded(`gemini.${name}`), exited(code)).end;
      return `${name}: ${failure?.kind}. ${failure?.message}`;
    });
    expect(told).toMatchInlineSnapshot(`
      [
        "401: auth. The provider refused the key (401): Request had invalid authentication credentials.",
        "429: quota. The provider's limit is reached (429): You exceeded your current quota, please check your plan and billing details.",
        "500: overloaded. The provider has a fault (500): An internal error has occurred.",
        "429-long: quota. The provider's limit is reached (429): You exceeded your current quota, please check your plan and billing details.",
        "context: context. The conversation does not fit into the model's window any more (400): The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        "context-stream: network. The provider can't be reached: Model stream ended without a finish reason.",
        "cut: network. The provider can't be reached: the connection closed in the middle of an answer.",
        "no-model: bad-request. The provider did not take the request: The model is not found for API version v1beta.",
        "overloaded: overloaded. The provider is overloaded (503): The model is overloaded.",
        "overloaded-stream: network. The provider can't be reached: Model stream ended without a finish reason.",
        "quota: quota. The provider's limit is reached (429): You have exhausted your daily quota on this model.",
      ]
    `);
  });

  it("joins what the model says until something else comes", () => {
    const tool = line({ type: "tool_use", tool_name: "glob", parameters: { pattern: "*.ts" } });
    const { events, end } = readStream(
      aReader(),
      [init, says("One "), says("text."), tool, says("More.")],
      done,
    );
    expect(tellEvents(events)).toEqual([
      `started | gemini-2.5-pro | ${CONVERSATION}`,
      "text | One text.",
      "tool | glob | *.ts",
    ]);
    expect(end.text).toBe("More.");
  });

  it("shows a command that the guard refused", () => {
    const blocked = line({
      type: "tool_result",
      status: "error",
      output: "Tool execution blocked: Loom does not allow this: no pushing.",
      error: {
        type: "policy_violation",
        message: "Tool execution blocked: Loom does not allow this: no pushing.",
      },
    });
    expect(tellEvents(aReader().read(outLine(blocked)))).toEqual([
      "tool-result | false | Tool execution blocked: Loom does not allow this: no pushing.",
    ]);
  });

  it("leaves out what the CLI says at every start", () => {
    const noise = [
      "YOLO mode is enabled. All tool calls will be automatically approved.",
      "Warning: 256-color support not detected. Using a terminal with at least 256-color support is recommended.",
      "Ripgrep is not available. Falling back to GrepTool.",
      "[STARTUP] Phase 'cleanup_ops' was started but never ended. Skipping metrics.",
    ];
    expect(noise.flatMap((text) => aReader().read(errLine(text)))).toEqual([]);
  });

  it("says that the CLI tries again when nobody answered", () => {
    const lines = ["Attempt 1 failed: fetch failed. Retrying with backoff... TypeError: fetch failed"];
    const answered = ["Attempt 1 failed with status 503. Retrying with backoff... _ApiError"];
    expect(tellEvents(lines.flatMap((text) => aReader().read(errLine(text))))).toEqual([
      "retrying | no answer, attempt 1",
    ]);
    expect(answered.flatMap((text) => aReader().read(errLine(text)))[0]?.kind).toBe("output");
  });
});

describe("a gemini stream in which something is wrong", () => {
  it("is read to its end, whatever it holds", () => {
    const streams = ["gemini.ok", ...recordedFailures("gemini")].map(recorded);
    fc.assert(
      fc.property(mutated(streams), fc.constantFrom(done, exited(1), exited(173), killed), (lines, exit) => {
        const { events, end } = readStream(aReader(), lines, exit);
        expect(findFlaw(events)).toBeNull();
        expect(end.failure === null || end.failure.message.length > 0).toBe(true);
      }),
    );
  });

  it("takes a line of ten megabytes and one that was cut", () => {
    const long = says("x".repeat(10_000_000));
    const { end } = readStream(aReader(), [init, long, result({})], done);
    expect(end.text).toHaveLength(1_000_000);
    const cut = aReader().read({ stream: "stdout", text: init.slice(0, 50), cutBytes: 70 });
    expect(tellEvents(cut)[0]).toContain("(70 bytes cut)");
  });

  it("is cut off when it ends in the middle, at whichever line", () => {
    const lines = recorded("gemini.ok");
    for (let kept = 0; kept < lines.length; kept += 1) {
      expect(readStream(aReader(), lines.slice(0, kept), killed).end.failure?.kind).toBe("cut-off");
    }
  });
});
