import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createClaudeReader } from "../../../../src/adapters/harness/claude/read.ts";
import type { ProcessExit } from "../../../../src/ports/process-supervisor.ts";
import type { Traffic } from "../../../../src/ports/sandbox.ts";
import { propertyRuns } from "../../../support/property-runs.ts";
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
const failed: ProcessExit = { kind: "exited", code: 1 };

function aReader(resume: string | null = null) {
  return createClaudeReader({ spec: aCliSpec({ resume }), model: "opus", env: {}, home: "/work/home" });
}

const line = (event: unknown): string => JSON.stringify(event);
const init = line({ type: "system", subtype: "init", session_id: "c1", model: "claude-x" });
const message = (id: string, content: unknown[], usage: unknown, parent: string | null = null): string =>
  line({ type: "assistant", message: { id, model: "claude-x", content, usage }, parent_tool_use_id: parent });
const says = (text: string) => [{ type: "text", text }];
const result = (parts: object): string =>
  line({ type: "result", subtype: "success", is_error: false, result: "Done.", ...parts });

describe("claude's stream", () => {
  it("tells a session that went well", () => {
    const { events, end } = readStream(aReader(), recorded("claude.ok"), done);
    expect(tellEvents(events)).toMatchInlineSnapshot(`
      [
        "started | claude-sonnet-4-5 | bd398215-306e-46fb-bfac-7ed1541b4550",
        "text | I will write the file.",
        "usage | {"inputTokens":5000,"outputTokens":1,"costUsd":null}",
        "tool | Write | hello.txt",
        "tool-result | true | File created successfully at: hello.txt (file state is current in your context — no need to Read it back)",
        "text | Now I look at it.",
        "usage | {"inputTokens":5300,"outputTokens":1,"costUsd":null}",
        "tool | Bash | cat hello.txt && git status --short",
        "tool | Read | README.md",
        "tool-result | true | 1	# shop
      2",
        "tool-result | true | hello
      from the model
      ?? hello.txt",
        "text | All is there.

      hello.txt holds two lines.",
        "usage | {"inputTokens":5700,"outputTokens":1,"costUsd":null}",
        "usage | {"inputTokens":0,"outputTokens":122,"costUsd":0.013965}",
        "context | 5700 | 200000",
      ]
    `);
    expect(end).toMatchInlineSnapshot(`
      {
        "failure": null,
        "resume": "bd398215-306e-46fb-bfac-7ed1541b4550",
        "text": "All is there.

      hello.txt holds two lines.",
      }
    `);
  });

  it("has a diagnosis for each way to fail", () => {
    const told = recordedFailures("claude").map((name) => {
      const { events, end } = readStream(aReader(), recorded(name), failed);
      const retries = events.filter((event) => event.kind === "retrying").length;
      expect(end.resume).not.toBeNull();
      return `${name}: ${end.failure?.kind}, ${retries} retries: ${end.failure?.message}`;
    });
    expect(told).toMatchInlineSnapshot(`
      [
        "claude.401: auth, 2 retries: The provider refused the key (401): Invalid API key · Fix external API key.",
        "claude.429: quota, 2 retries: The provider's limit is reached (429): Request rejected (429) · This request would exceed your organization's rate limit of 50 requests per minute.",
        "claude.500: overloaded, 2 retries: The provider has a fault (500): Internal server error.",
        "claude.context: context, 0 retries: The conversation does not fit into the model's window any more (400): Prompt is too long.",
        "claude.context-stream: context, 0 retries: The conversation does not fit into the model's window any more (400): Prompt is too long.",
        "claude.cut: network, 2 retries: The provider can't be reached: Connection to the API was lost (ECONNRESET).",
        "claude.no-model: bad-request, 0 retries: The provider does not know the model claude-sonnet-4-5 (404): name another one in the plan or in LOOM_CLAUDE_MODEL.",
        "claude.overloaded: overloaded, 2 retries: The provider is overloaded (529): Overloaded. This is a server-side issue, usually temporary — try again in a moment.",
        "claude.overloaded-stream: overloaded, 0 retries: The provider is overloaded (529): Overloaded. This is a server-side issue, usually temporary — try again in a moment.",
        "claude.quota: quota, 0 retries: The provider's limit is reached (400): Credit balance is too low.",
      ]
    `);
  });

  it("gives a share of the window as soon as the CLI has said how large it is", () => {
    const window = line({
      type: "control_response",
      response: { subtype: "success", request_id: "loom-window", response: { rawMaxTokens: 200_000 } },
    });
    const usage = {
      input_tokens: 100,
      cache_creation_input_tokens: 20,
      cache_read_input_tokens: 3,
      output_tokens: 1,
    };
    const { events } = readStream(aReader(), [window, init, message("m1", says("Hi."), usage)], done);
    expect(tellEvents(events)).toMatchInlineSnapshot(`
      [
        "started | claude-x | c1",
        "text | Hi.",
        "usage | {"inputTokens":123,"outputTokens":1,"costUsd":null}",
        "context | 123 | 200000",
      ]
    `);
  });

  it("gives it at the end where the window was not known before", () => {
    const lines = [
      init,
      message("m1", says("Hi."), { input_tokens: 100, output_tokens: 1 }),
      result({
        modelUsage: {
          "claude-small": { inputTokens: 5, contextWindow: 7 },
          "claude-x": { inputTokens: 100, contextWindow: 1000 },
        },
      }),
    ];
    const { events } = readStream(aReader(), lines, done);
    expect(events.filter((event) => event.kind === "context")).toEqual([
      { kind: "context", used: 100, window: 1000 },
    ]);
  });

  it("counts each message once and the rest of its output with the result", () => {
    const usage = { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 1 };
    const lines = [
      init,
      message("m1", says("One."), usage),
      message("m1", [{ type: "tool_use", name: "Bash", input: { command: "ls" } }], usage),
      message("m2", says("Two."), { input_tokens: 200, output_tokens: 1 }),
      result({
        model_usage_since_last_result: {
          a: { inputTokens: 210, cacheReadInputTokens: 90, outputTokens: 50, costUSD: 0.5 },
          b: { inputTokens: 7, outputTokens: 1, costUSD: 0.25 },
        },
        total_cost_usd: 9,
      }),
    ];
    const { events } = readStream(aReader(), lines, done);
    expect(events.flatMap((event) => (event.kind === "usage" ? [event.usage] : []))).toEqual([
      { inputTokens: 100, outputTokens: 1, costUsd: null },
      { inputTokens: 200, outputTokens: 1, costUsd: null },
      { inputTokens: 7, outputTokens: 49, costUsd: 0.75 },
    ]);
  });

  it("does not count what an earlier session of the conversation has used", () => {
    const sums = {
      usage: { input_tokens: 40, output_tokens: 6 },
      total_cost_usd: 9,
      modelUsage: { x: { inputTokens: 900, outputTokens: 90 } },
    };
    const used = (resume: string | null) =>
      readStream(aReader(resume), [init, result(sums)], done).events.filter(
        (event) => event.kind === "usage",
      );
    expect(used("c1")).toEqual([
      { kind: "usage", usage: { inputTokens: 40, outputTokens: 6, costUsd: null } },
    ]);
    expect(used(null)).toEqual([
      { kind: "usage", usage: { inputTokens: 900, outputTokens: 90, costUsd: 9 } },
    ]);
  });

  it("takes what sub-agents do for activity and never for the session's own words", () => {
    const lines = [
      init,
      message("m1", [{ type: "tool_use", name: "Task", input: { description: "look around" } }], {
        input_tokens: 50,
      }),
      line({ type: "system", subtype: "task_started", description: "look around" }),
      message(
        "s1",
        [{ type: "tool_use", name: "Bash", input: { command: "ls" } }],
        { input_tokens: 9_000 },
        "toolu_1",
      ),
      line({
        type: "user",
        message: { content: [{ type: "tool_result", content: "a" }] },
        parent_tool_use_id: "toolu_1",
      }),
      message("s1", says("I am done."), { input_tokens: 9_000 }, "toolu_1"),
    ];
    const { events, end } = readStream(aReader(), lines, done);
    expect(tellEvents(events)).toMatchInlineSnapshot(`
      [
        "started | claude-x | c1",
        "tool | Task | look around",
        "usage | {"inputTokens":50,"outputTokens":0,"costUsd":null}",
        "activity | sub-agent: look around",
        "activity | sub-agent: Bash ls",
        "usage | {"inputTokens":9000,"outputTokens":0,"costUsd":null}",
        "activity | sub-agent: I am done.",
      ]
    `);
    expect(end).toEqual({
      failure: { kind: "cut-off", message: "The agent ended without saying how it went.", resetsAt: null },
      text: null,
      resume: "c1",
    });
  });

  it("tells retries, limits, compaction and refused commands", () => {
    const lines = [
      line({
        type: "system",
        subtype: "api_retry",
        attempt: 1,
        max_retries: 2,
        error_status: 529,
        error: "overloaded",
      }),
      line({
        type: "system",
        subtype: "api_retry",
        attempt: 2,
        max_retries: 2,
        error_status: null,
        error: "unknown",
      }),
      line({ type: "rate_limit_event", rate_limit_info: { status: "allowed" } }),
      line({ type: "rate_limit_event", rate_limit_info: { status: "rejected", resetsAt: 1_800_000_000 } }),
      line({ type: "system", subtype: "compact_boundary", compact_metadata: { trigger: "auto" } }),
      line({
        type: "user",
        message: {
          content: [
            {
              type: "tool_result",
              is_error: true,
              content: [{ type: "text", text: "hook error: no" }, { type: "image" }],
            },
          ],
        },
      }),
    ];
    expect(tellEvents(readStream(aReader(), lines, done).events)).toMatchInlineSnapshot(`
      [
        "retrying | status 529, overloaded, attempt 1 of 2",
        "retrying | no answer, attempt 2 of 2",
        "rate-limit | 1800000000000",
        "compacted",
        "tool-result | false | hook error: no
      (image)",
      ]
    `);
  });

  it("knows a limit of turns, an interruption and a conversation that is not there", () => {
    const ends = [
      result({
        subtype: "error_max_turns",
        is_error: true,
        result: undefined,
        errors: ["Reached maximum number of turns (2)"],
      }),
      result({ subtype: "error_max_budget_usd", is_error: true, result: undefined }),
      result({ subtype: "error_during_execution", is_error: true, result: undefined }),
      result({
        subtype: "error_during_execution",
        is_error: true,
        result: undefined,
        errors: ["No conversation found with session ID: c9"],
      }),
    ];
    expect(ends.map((end) => readStream(aReader(), [end], failed).end)).toMatchInlineSnapshot(`
      [
        {
          "failure": {
            "kind": "turns",
            "message": "Reached maximum number of turns (2).",
            "resetsAt": null,
          },
          "resume": null,
          "text": null,
        },
        {
          "failure": {
            "kind": "turns",
            "message": "Its limit of turns or money is reached.",
            "resetsAt": null,
          },
          "resume": null,
          "text": null,
        },
        {
          "failure": {
            "kind": "unknown",
            "message": "The agent failed: no reason was given.",
            "resetsAt": null,
          },
          "resume": null,
          "text": null,
        },
        {
          "failure": {
            "kind": "unknown",
            "message": "The agent failed: No conversation found with session ID: c9.",
            "resetsAt": null,
          },
          "resume": null,
          "text": null,
        },
      ]
    `);
  });

  it("is cut off when no result came, whatever the exit code", () => {
    const ends: ProcessExit[] = [
      done,
      { kind: "exited", code: 143 },
      { kind: "signalled", signal: "SIGKILL" },
    ];
    expect(
      ends.map((exit) => readStream(aReader(), [init], exit).end.failure?.message),
    ).toMatchInlineSnapshot(`
      [
        "The agent ended without saying how it went.",
        "The agent ended without saying how it went (exit code 143).",
        "The agent ended without saying how it went (SIGKILL).",
      ]
    `);
  });

  it("explains with the last answer of the model why it was ended while it tried again", () => {
    const traffic: Traffic[] = [
      { kind: "answered", status: 529, retryAt: null, body: '{"error":{"message":"Overloaded"}}' },
    ];
    expect(readStream(aReader(), [init], { kind: "exited", code: 143 }, traffic).end.failure?.kind).toBe(
      "overloaded",
    );
  });

  it("hands on what standard error says when it can't start", () => {
    const lines = [errLine("--dangerously-skip-permissions cannot be used with root privileges")];
    const { events, end } = readStream(aReader(), lines, failed);
    expect(tellEvents(events)).toEqual([
      "output | --dangerously-skip-permissions cannot be used with root privileges",
    ]);
    expect(end.failure?.message).toMatchInlineSnapshot(
      `"The agent failed: --dangerously-skip-permissions cannot be used with root privileges."`,
    );
  });

  it("takes whatever it does not know for output", () => {
    const strange = [
      "",
      "npm warn",
      '{"type":"news","x":1}',
      '{"type":',
      "[]",
      '{"type":"system","subtype":"news"}',
      "{}",
    ];
    const { events } = readStream(aReader(), strange, done);
    expect(events).toEqual(strange.map((text) => ({ kind: "output", text })));
    const cut = { ...outLine(init), cutBytes: 9 };
    expect(readStream(aReader(), [cut], done).events[0]?.kind).toBe("output");
  });

  it("reads a tool result of ten megabytes", () => {
    const long = line({
      type: "user",
      message: { content: [{ type: "tool_result", content: "x".repeat(10_000_000) }] },
    });
    const [event] = readStream(aReader(), [long], done).events;
    expect(event).toMatchObject({ kind: "tool-result", ok: true });
    expect(JSON.stringify(event).length).toBeLessThan(5_000);
  });

  it("never throws and always has a diagnosis, however a stream is broken", () => {
    const streams = ["ok", "401", "context", "cut", "overloaded"].map((name) => recorded(`claude.${name}`));
    fc.assert(
      fc.property(mutated(streams), fc.constantFrom(null, "c1"), (lines, resume) => {
        const { events, end } = readStream(aReader(resume), lines, failed);
        expect(findFlaw(events)).toBeNull();
        if (end.failure !== null) expect(end.failure.message).toMatch(/^[^\p{Cc}]+\.$/u);
      }),
      { numRuns: propertyRuns(3) },
    );
  });
});
