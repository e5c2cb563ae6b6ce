import { describe, expect, it } from "vitest";
import { createGeminiReader } from "../../../../src/adapters/harness/gemini/read.ts";
import type { ProcessExit } from "../../../../src/ports/process-supervisor.ts";
import { aCliSpec, errLine, readStream } from "../cli/read-stream.ts";

const done: ProcessExit = { kind: "exited", code: 0 };
const exited = (code: number): ProcessExit => ({ kind: "exited", code });
const killed: ProcessExit = { kind: "signalled", signal: "SIGKILL" };

function aReader(maxTurns: number) {
  return createGeminiReader({
    spec: aCliSpec({ maxTurns }),
    model: "gemini-2.5-pro",
    env: {},
    home: "/work/home",
  });
}

const line = (event: unknown): string => JSON.stringify(event);
const init = line({ type: "init", session_id: "8dcbb2f9-38df-4205-9734-53bbe512d253" });
const says = (content: string): string => line({ type: "message", role: "assistant", content, delta: true });
const result = (parts: object): string => line({ type: "result", status: "success", stats: {}, ...parts });

describe("the end of a gemini session", () => {
  const conclude = (lines: readonly string[], exit: ProcessExit, words: readonly string[] = []) =>
    readStream(aReader(9), [...lines, ...words.map(errLine)], exit).end.failure;

  it("is a failure when the result says so, whatever the exit code", () => {
    const error = line({
      type: "error",
      severity: "error",
      message: "The model returned an empty response.",
    });
    expect(conclude([init, error, result({ status: "error" })], done)).toMatchInlineSnapshot(`
      {
        "kind": "unknown",
        "message": "The agent failed: The model returned an empty response.",
        "resetsAt": null,
      }
    `);
  });

  it("is a failure when the CLI broke off a loop", () => {
    const loop = line({ type: "error", severity: "warning", message: "Loop detected, stopping execution" });
    expect(conclude([init, loop, result({})], done)).toMatchInlineSnapshot(`
      {
        "kind": "unknown",
        "message": "The agent failed: Loop detected, stopping execution.",
        "resetsAt": null,
      }
    `);
  });

  it("is none when a warning came on the way", () => {
    const warning = line({ type: "error", severity: "warning", message: "Something odd." });
    expect(conclude([init, warning, result({})], done)).toBeNull();
  });

  it("tells a limit of turns", () => {
    const limit = result({
      status: "error",
      error: { type: "FatalTurnLimitedError", message: "Reached max." },
    });
    expect(conclude([init, limit], exited(53))?.message).toMatchInlineSnapshot(
      `"The limit of 9 turns is reached."`,
    );
    expect(conclude([init], exited(53))?.kind).toBe("turns");
  });

  it("explains the exit codes that the CLI has", () => {
    const words: [number, string][] = [
      [41, "When using Gemini API, you must specify the GEMINI_API_KEY environment variable."],
      [42, 'Error resuming session: Invalid session identifier "x".'],
      [44, "GEMINI_SANDBOX is true but failed to determine command for sandbox"],
      [52, "Error in settings.json: Unexpected token"],
      [55, "Gemini CLI is not running in a trusted directory."],
    ];
    const told = words.map(([code, said]) => conclude([], exited(code), [said]));
    expect(told.map((failure) => `${failure?.kind}: ${failure?.message}`)).toMatchInlineSnapshot(`
      [
        "auth: gemini found no key: When using Gemini API, you must specify the GEMINI_API_KEY environment variable.",
        "unknown: gemini did not take what it was started with: Error resuming session: Invalid session identifier "x".",
        "unknown: gemini could not start a sandbox of its own: GEMINI_SANDBOX is true but failed to determine command for sandbox.",
        "unknown: gemini did not take its settings: Error in settings.json: Unexpected token.",
        "unknown: gemini does not trust the work tree: Gemini CLI is not running in a trusted directory.",
      ]
    `);
  });

  it("reads the status of a refused request from the exit code", () => {
    const failure = (code: number) => conclude([init, result({ status: "error" })], exited(code))?.kind;
    expect([144, 145, 147, 173, 244, 247].map(failure)).toEqual([
      "bad-request",
      "auth",
      "auth",
      "quota",
      "overloaded",
      "overloaded",
    ]);
    expect(failure(130)).toBe("unknown");
  });

  it("is cut off when the program was ended before it said how it went", () => {
    expect(conclude([init, says("I beg")], killed)).toMatchInlineSnapshot(`
      {
        "kind": "cut-off",
        "message": "The agent ended without saying how it went (SIGKILL).",
        "resetsAt": null,
      }
    `);
    expect(conclude([init], done)?.kind).toBe("cut-off");
    expect(conclude([], done)?.kind).toBe("cut-off");
  });
});
