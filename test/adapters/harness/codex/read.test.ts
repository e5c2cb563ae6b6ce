import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createCodexReader } from "../../../../src/adapters/harness/codex/read.ts";
import type { ProcessExit } from "../../../../src/ports/process-supervisor.ts";
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
const THREAD = "01a1e49c-aebb-7d50-888c-823e535f7df7";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "loom-codex-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const line = (event: unknown): string => JSON.stringify(event);
const started = line({ type: "thread.started", thread_id: THREAD });
const item = (phase: string, parts: object): string =>
  line({ type: `item.${phase}`, item: { id: "item_1", ...parts } });
const completed = (input: number, output: number): string =>
  line({
    type: "turn.completed",
    usage: { input_tokens: input, cached_input_tokens: 1, output_tokens: output },
  });

function aReader(resume: string | null = null) {
  return createCodexReader({ spec: aCliSpec({ resume, home }), model: null, env: {}, home });
}

function writeRollout(...entries: object[]): void {
  const file = join(home, `.codex/sessions/2026/01/31/rollout-2026-01-31T10-00-00-${THREAD}.jsonl`);
  mkdirSync(dirname(file), { recursive: true });
  appendFileSync(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
}

function tokens(timestamp: string, total: [number, number], last: number): object {
  const usage = (input: number, output: number) => ({
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
  });
  const info = {
    total_token_usage: usage(...total),
    last_token_usage: usage(last, 0),
    model_context_window: 1000,
  };
  return { timestamp, ordinal: 1, type: "event_msg", payload: { type: "token_count", info } };
}

const EARLIER = "2020-01-01T00:00:00.000Z";
const LATER = "2999-01-01T00:00:00.000Z";

describe("codex's stream", () => {
  it("tells a session that went well", () => {
    const { events, end } = readStream(aReader(), recorded("codex.ok"), done);
    expect(tellEvents(events)).toMatchInlineSnapshot(`
      [
        "started | null | 01a1e497-633e-7283-9e02-316abe1a9321",
        "text | I will write the file.",
        "tool | apply_patch | /work/tree/hello.txt",
        "tool-result | true | ",
        "text | Now I look at it.",
        "tool | shell | cat -- 'README.md'",
        "tool-result | true | # shop",
        "tool | shell | cat hello.txt && git status --short",
        "tool-result | true | hello
      from the model
      ?? hello.txt",
        "text | All is there.

      hello.txt holds two lines.",
        "usage | {"inputTokens":16000,"outputTokens":125,"costUsd":null}",
      ]
    `);
    expect(end).toMatchInlineSnapshot(`
      {
        "failure": null,
        "resume": "01a1e497-633e-7283-9e02-316abe1a9321",
        "text": "All is there.

      hello.txt holds two lines.",
      }
    `);
  });

  it("has a diagnosis for each way to fail", () => {
    const told = recordedFailures("codex").map((name) => {
      const { events, end } = readStream(aReader(), recorded(name), failed);
      const retries = events.filter((event) => event.kind === "retrying").length;
      expect(end.resume).not.toBeNull();
      return `${name}: ${end.failure?.kind}, ${retries} retries: ${end.failure?.message}`;
    });
    expect(told).toMatchInlineSnapshot(`
      [
        "codex.401: auth, 5 retries: The provider refused the key (401): unexpected status 401 Unauthorized: Incorrect API key provided.",
        "codex.429: quota, 5 retries: The provider's limit is reached (429): exceeded retry limit, last status: 429 Too Many Requests.",
        "codex.500: overloaded, 5 retries: The provider is overloaded: We’re currently experiencing high demand, which may cause temporary errors.",
        "codex.context: context, 0 retries: The conversation does not fit into the model's window any more: Your input exceeds the context window of this model.",
        "codex.context-stream: context, 0 retries: The conversation does not fit into the model's window any more: Codex ran out of room in the model's context window.",
        "codex.cut: network, 5 retries: The provider can't be reached: stream disconnected before completion: Transport error: network error: error decoding response body.",
        "codex.no-model: bad-request, 0 retries: The provider did not take the request: The model does not exist or you do not have access to it.",
        "codex.overloaded: overloaded, 0 retries: The provider is overloaded: Selected model is at capacity.",
        "codex.overloaded-stream: overloaded, 0 retries: The provider is overloaded: Selected model is at capacity.",
        "codex.quota: quota, 0 retries: The provider's limit is reached: Quota exceeded.",
      ]
    `);
  });

  it("tells commands, patches, servers' tools and thoughts", () => {
    const lines = [
      item("started", {
        type: "command_execution",
        command: "/bin/bash -lc 'echo '\\''a b'\\'''",
        status: "in_progress",
      }),
      item("completed", {
        type: "command_execution",
        command: "x",
        aggregated_output: "no\n",
        exit_code: 2,
        status: "failed",
      }),
      item("completed", {
        type: "command_execution",
        command: '/usr/bin/zsh -lc "echo \\"$HOME\\""',
        exit_code: 0,
        status: "completed",
      }),
      item("completed", {
        type: "file_change",
        changes: [{ path: "/t/a" }, { path: "/t/b" }],
        status: "failed",
      }),
      item("completed", { type: "mcp_tool_call", server: "docs", tool: "find", status: "completed" }),
      item("completed", { type: "web_search", query: "loom" }),
      item("completed", { type: "reasoning", text: "**Plan**\nfirst this" }),
      item("completed", { type: "error", message: "Model metadata for `x` not found." }),
      item("completed", { type: "error", message: "`--dangerously-bypass-hook-trust` is enabled." }),
      item("updated", { type: "todo_list", items: [] }),
      line({ type: "error", message: "Reconnecting... 1/2 (unexpected status 500)" }),
      errLine(
        "2026-11-16T13:53:38.271138Z ERROR codex_core::tools::router: error=Command blocked by PreToolUse hook: no.",
      ),
    ];
    expect(tellEvents(readStream(aReader(), lines, done).events)).toMatchInlineSnapshot(`
      [
        "tool | shell | echo 'a b'",
        "tool-result | false | no",
        "tool | shell | echo "$HOME"",
        "tool-result | true | ",
        "tool | apply_patch | /t/a, /t/b",
        "tool-result | false | ",
        "tool | docs.find | ",
        "tool-result | true | ",
        "tool | web_search | loom",
        "tool-result | true | ",
        "activity | **Plan** first this",
        "output | Model metadata for \`x\` not found.",
        "retrying | 1/2 unexpected status 500",
        "tool-result | false | Command blocked by PreToolUse hook: no.",
      ]
    `);
  });

  it("is done only when the turn is", () => {
    const told = (lines: string[], exit: ProcessExit) =>
      readStream(aReader(), [started, ...lines], exit).end.failure?.message;
    const text = item("completed", { type: "agent_message", text: "Done." });
    expect([
      told([text, completed(1, 1)], done),
      told([text], done),
      told([text], { kind: "signalled", signal: "SIGTERM" }),
      told([completed(1, 1), line({ type: "turn.started" })], done),
      told([line({ type: "turn.failed" })], failed),
    ]).toMatchInlineSnapshot(`
      [
        undefined,
        "The agent ended without saying how it went.",
        "The agent ended without saying how it went (SIGTERM).",
        "The agent ended without saying how it went.",
        "The agent ended without saying how it went (exit code 1).",
      ]
    `);
  });

  it("hands on what standard error says when it can't start", () => {
    const lines = [
      errLine("WARNING: proceeding, even though we could not create PATH aliases"),
      errLine("Error: thread/resume failed: no rollout found for thread id x (code -32600)"),
    ];
    expect(readStream(aReader(), lines, failed).end.failure?.message).toMatchInlineSnapshot(
      `"The agent failed: Error: thread/resume failed: no rollout found for thread id x (code -32600)."`,
    );
  });

  it("takes whatever it does not know for output", () => {
    const strange = ["", "Reading", '{"type":"news"}', '{"type":', item("completed", { type: "news" }), "{}"];
    expect(readStream(aReader(), strange, done).events).toEqual(
      strange.map((text) => ({ kind: "output", text })),
    );
  });

  it("never throws and always has a diagnosis, however a stream is broken", () => {
    const streams = ["ok", "401", "context", "cut"].map((name) => recorded(`codex.${name}`));
    fc.assert(
      fc.property(mutated(streams), fc.constantFrom(null, THREAD), (lines, resume) => {
        const { events, end } = readStream(aReader(resume), lines, failed);
        expect(findFlaw(events)).toBeNull();
        if (end.failure !== null) expect(end.failure.message).toMatch(/^[^\p{Cc}]+\.$/u);
      }),
      { numRuns: propertyRuns(3) },
    );
  });
});

describe("codex's rollout", () => {
  it("tells usage and the share of the window while the turn lasts, each token once", async () => {
    const reader = aReader();
    reader.read(outLine(started));
    expect(await reader.look?.()).toEqual([]);
    writeRollout({ timestamp: LATER, type: "session_meta" }, tokens(LATER, [100, 10], 100));
    expect(tellEvents((await reader.look?.()) ?? [])).toMatchInlineSnapshot(`
      [
        "usage | {"inputTokens":100,"outputTokens":10,"costUsd":null}",
        "context | 100 | 1000",
      ]
    `);
    writeRollout(tokens(LATER, [250, 20], 150), tokens(LATER, [250, 20], 150));
    expect(tellEvents((await reader.look?.()) ?? [])).toMatchInlineSnapshot(`
      [
        "usage | {"inputTokens":150,"outputTokens":10,"costUsd":null}",
        "context | 150 | 1000",
        "context | 150 | 1000",
      ]
    `);
    expect(reader.read(outLine(completed(250, 25)))).toEqual([
      { kind: "usage", usage: { inputTokens: 0, outputTokens: 5, costUsd: null } },
    ]);
    expect(await reader.look?.()).toEqual([]);
  });

  it("does not count what an earlier session of the thread has used", async () => {
    writeRollout(tokens(EARLIER, [100, 10], 100), { timestamp: EARLIER, type: "compacted", payload: {} });
    const reader = aReader(THREAD);
    reader.read(outLine(started));
    writeRollout(tokens(LATER, [150, 15], 50));
    expect(tellEvents((await reader.look?.()) ?? [])).toMatchInlineSnapshot(`
      [
        "usage | {"inputTokens":50,"outputTokens":5,"costUsd":null}",
        "context | 50 | 1000",
      ]
    `);
  });

  it("says nothing about usage when it goes on with a thread whose story can't be read", async () => {
    const reader = aReader(THREAD);
    reader.read(outLine(started));
    expect(await reader.look?.()).toEqual([]);
    expect(reader.read(outLine(completed(900, 90)))).toEqual([]);
  });

  it("tells that the conversation was compacted, however long that line is", async () => {
    const reader = aReader();
    reader.read(outLine(started));
    writeRollout({
      timestamp: LATER,
      ordinal: 2,
      type: "compacted",
      payload: { message: "x".repeat(300_000) },
    });
    expect(await reader.look?.()).toEqual([{ kind: "compacted" }]);
  });
});
