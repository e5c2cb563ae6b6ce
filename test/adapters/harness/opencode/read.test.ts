import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createOpencodeReader } from "../../../../src/adapters/harness/opencode/read.ts";
import type { ProcessExit } from "../../../../src/ports/process-supervisor.ts";
import type { Traffic } from "../../../../src/ports/sandbox.ts";
import {
  aCliSpec,
  errLine,
  findFlaw,
  mutated,
  outLine,
  readStream,
  recorded,
  tellEvents,
} from "../cli/read-stream.ts";

const done: ProcessExit = { kind: "exited", code: 0 };
const failed: ProcessExit = { kind: "exited", code: 1 };
const killed: ProcessExit = { kind: "signalled", signal: "SIGKILL" };

function aReader(maxTurns: number | null = null) {
  const order = { spec: aCliSpec({ maxTurns }), model: "own/model", env: {}, home: "/work/home" };
  return createOpencodeReader(order, 128_000);
}

const event = (type: string, part: object): string =>
  JSON.stringify({ type, sessionID: "ses_1", part: { messageID: "msg_1", ...part } });
const finish = (reason: string): string =>
  event("step_finish", { reason, tokens: { input: 10, output: 2, cache: {} }, cost: 0 });
const error = (name: string, data: object): string =>
  JSON.stringify({ type: "error", sessionID: "ses_1", error: { name, data } });

const FAILURES = [
  "401",
  "429",
  "500",
  "context",
  "context-stream",
  "cut",
  "no-model",
  "overloaded",
  "overloaded-stream",
];

describe("opencode's stream", () => {
  it("tells a session that went well", () => {
    const { events, end } = readStream(aReader(), recorded("opencode.ok"), done);
    expect(tellEvents(events)).toMatchInlineSnapshot(`
      [
        "started | own/model | ses_e1b6884e3ffeKZNER7JeSGCg2T",
        "text | I will write the file.",
        "tool | write | hello.txt",
        "tool-result | true | Wrote file successfully.",
        "usage | {"inputTokens":5000,"outputTokens":55,"costUsd":null}",
        "context | 5055 | 128000",
        "text | Now I look at it.",
        "tool | bash | cat hello.txt && git status --short",
        "tool-result | true | hello
      from the model
      ?? hello.txt",
        "tool | read | README.md",
        "tool-result | true | <path>/work/tree/README.md</path>
      <type>file</type>
      <content>
      1: # shop

      (End of file - total 1 lines)
      </content>",
        "usage | {"inputTokens":5300,"outputTokens":40,"costUsd":null}",
        "context | 5340 | 128000",
        "text | All is there.

      hello.txt holds two lines.",
        "usage | {"inputTokens":5700,"outputTokens":30,"costUsd":null}",
        "context | 5730 | 128000",
      ]
    `);
    expect(end).toMatchInlineSnapshot(`
      {
        "failure": null,
        "resume": "ses_e1b6884e3ffeKZNER7JeSGCg2T",
        "text": "All is there.

      hello.txt holds two lines.",
      }
    `);
  });

  it("says why it could not go on", () => {
    const told = FAILURES.map((name) => {
      const { failure } = readStream(aReader(), recorded(`opencode.${name}`), failed).end;
      return `${name}: ${failure?.kind}. ${failure?.message}`;
    });
    expect(told).toMatchInlineSnapshot(`
      [
        "401: auth. The provider refused the key (401): Incorrect API key provided.",
        "429: quota. The provider's limit is reached (429): Rate limit reached on tokens per min (TPM).",
        "500: overloaded. The provider has a fault (500): The server had an error while processing your request.",
        "context: context. The conversation does not fit into the model's window any more: This model's maximum context length is 128000 tokens.",
        "context-stream: context. The conversation does not fit into the model's window any more: This model's maximum context length is 128000 tokens.",
        "cut: network. The provider can't be reached: Connection reset by server.",
        "no-model: bad-request. The provider does not know the model (404): name another one in the plan or in LOOM_OPENCODE_MODEL.",
        "overloaded: overloaded. The provider is overloaded (503): The engine is currently overloaded, please try again later.",
        "overloaded-stream: overloaded. The provider is overloaded: The engine is currently overloaded, please try again later.",
      ]
    `);
  });

  it("counts cached input and thinking, and no price where none is known", () => {
    const tokens = { input: 2000, output: 43, reasoning: 12, cache: { read: 3000, write: 7 } };
    const free = aReader().read(outLine(event("step_finish", { reason: "stop", tokens, cost: 0 })));
    expect(tellEvents(free)).toEqual([
      "started | own/model | ses_1",
      'usage | {"inputTokens":5007,"outputTokens":55,"costUsd":null}',
      "context | 5062 | 128000",
    ]);
    const paid = aReader().read(outLine(event("step_finish", { reason: "stop", tokens, cost: 0.02 })));
    expect(paid).toContainEqual({
      kind: "usage",
      usage: { inputTokens: 5007, outputTokens: 55, costUsd: 0.02 },
    });
  });

  it("shows a command that the guard refused", () => {
    const state = {
      status: "error",
      input: { command: "git push" },
      error: "Loom does not allow this: no pushing.",
    };
    const events = aReader().read(outLine(event("tool_use", { tool: "bash", state })));
    expect(tellEvents(events).slice(1)).toEqual([
      "tool | bash | git push",
      "tool-result | false | Loom does not allow this: no pushing.",
    ]);
  });

  it("says that the CLI tries again when a step begins twice", () => {
    const begin = event("step_start", {});
    const { events } = readStream(aReader(), [begin, begin, finish("tool-calls"), begin], done);
    expect(events.filter(({ kind }) => kind === "retrying")).toEqual([
      { kind: "retrying", reason: "the answer broke off" },
    ]);
  });
});

describe("the end of an opencode session", () => {
  const conclude = (lines: readonly string[], exit: ProcessExit, traffic: readonly Traffic[] = []) =>
    readStream(aReader(2), lines, exit, traffic).end.failure;

  it("is good only when the last step ended by itself", () => {
    expect(conclude([finish("stop")], done)).toBeNull();
    expect(conclude([finish("tool-calls")], done)).toMatchInlineSnapshot(`
      {
        "kind": "cut-off",
        "message": "The agent ended without saying how it went.",
        "resetsAt": null,
      }
    `);
    expect(conclude([finish("length")], done)?.message).toMatchInlineSnapshot(
      `"The model's answer was longer than it may be, and was cut."`,
    );
    expect(conclude([finish("content-filter")], done)?.message).toMatchInlineSnapshot(
      `"The provider held the model's answer back."`,
    );
    expect(conclude([], done)?.kind).toBe("cut-off");
  });

  it("forgets an error after which it went on", () => {
    const broken = error("APIError", { message: "reset", isRetryable: true });
    expect(conclude([broken, finish("stop")], done)).toBeNull();
    expect(conclude([finish("stop"), broken], failed)?.kind).toBe("unknown");
  });

  it("tells a limit of turns, after which it only summed up", () => {
    const turn = finish("tool-calls");
    expect(conclude([turn, finish("stop")], done)).toBeNull();
    expect(conclude([turn, turn, finish("stop")], done)).toMatchInlineSnapshot(`
      {
        "kind": "turns",
        "message": "The limit of 2 turns is reached.",
        "resetsAt": null,
      }
    `);
  });

  it("believes what passed through Loom's endpoint, such as when it can be asked again", () => {
    const traffic: Traffic[] = [{ kind: "answered", status: 429, retryAt: 1_800_000_000_000, body: null }];
    const limited = error("APIError", { message: "Rate limit reached", statusCode: 429 });
    expect(conclude([limited], failed, traffic)).toMatchInlineSnapshot(`
      {
        "kind": "quota",
        "message": "The provider's limit is reached (429): Rate limit reached.",
        "resetsAt": 1800000000000,
      }
    `);
  });

  it("says what stood on standard error when nothing else was said", () => {
    const reader = aReader();
    reader.read(errLine("\u001b[91m\u001b[1mError: \u001b[0mSession not found"));
    expect(reader.conclude(failed, []).failure).toMatchInlineSnapshot(`
      {
        "kind": "unknown",
        "message": "The agent failed: Error: Session not found.",
        "resetsAt": null,
      }
    `);
  });
});

describe("an opencode stream in which something is wrong", () => {
  it("is read to its end, whatever it holds", () => {
    const streams = ["opencode.ok", ...FAILURES.map((name) => `opencode.${name}`)].map(recorded);
    fc.assert(
      fc.property(mutated(streams), fc.constantFrom(done, failed, killed), (lines, exit) => {
        const { events, end } = readStream(aReader(), lines, exit);
        expect(findFlaw(events)).toBeNull();
        expect(end.failure === null || end.failure.message.length > 0).toBe(true);
      }),
    );
  });

  it("takes a line of ten megabytes and one that was cut", () => {
    const state = { status: "completed", input: { command: "yes" }, output: "y\n".repeat(5_000_000) };
    const events = aReader().read(outLine(event("tool_use", { tool: "bash", state })));
    const shown = events.find(({ kind }) => kind === "tool-result");
    expect(shown?.kind === "tool-result" && shown.text.length < 5_000).toBe(true);
    const cut = aReader().read({ stream: "stdout", text: finish("stop").slice(0, 50), cutBytes: 70 });
    expect(tellEvents(cut)[0]).toContain("(70 bytes cut)");
  });

  it("is cut off when it ends in the middle, at whichever line", () => {
    const lines = recorded("opencode.ok");
    for (let kept = 0; kept < lines.length; kept += 1) {
      expect(readStream(aReader(), lines.slice(0, kept), killed).end.failure?.kind).toBe("cut-off");
    }
  });
});
