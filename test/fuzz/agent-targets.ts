import { createClaudeReader } from "../../src/adapters/harness/claude/read.ts";
import type { StreamReader } from "../../src/adapters/harness/cli/cli.ts";
import { createCodexReader } from "../../src/adapters/harness/codex/read.ts";
import { readRolloutLine } from "../../src/adapters/harness/codex/read-rollout.ts";
import { createGeminiReader } from "../../src/adapters/harness/gemini/read.ts";
import { createOpencodeReader } from "../../src/adapters/harness/opencode/read.ts";
import { aSessionSpec } from "../support/session-spec.ts";
import { jsonLines } from "./from-tokens.ts";
import type { Target } from "./target.ts";

/** The streams of the agents' CLIs. */
const spec = aSessionSpec({ tree: "/work/tree", home: "/work/home", marker: "m" });
const order = { spec, model: "own/model", env: {}, home: "/work/home" };

const through =
  (create: () => StreamReader) =>
  (text: string): unknown => {
    const reader = create();
    const events = text.split("\n").flatMap((line, index) => {
      const stream = index % 7 === 6 ? ("stderr" as const) : ("stdout" as const);
      return reader.read({ stream, text: line, cutBytes: 0 });
    });
    return [events, reader.conclude({ kind: "exited", code: 1 }, [])];
  };

const PIECES = [
  '{"type":"x"}\n',
  '{"a":[',
  "[",
  '"',
  "\\u0000",
  '{"type":"assistant","message":{"content":[{"type":"text","text":"x"}]}}\n',
];

const COMMON = [
  "type",
  "id",
  "text",
  "model",
  "usage",
  "error",
  "message",
  "content",
  "input",
  "output",
  "name",
  "status",
];

export const AGENT_TARGETS: readonly Target[] = [
  {
    name: "claude-stream",
    read: through(() => createClaudeReader(order)),
    texts: jsonLines(
      [
        "system",
        "assistant",
        "user",
        "result",
        "rate_limit_event",
        "tool_use",
        "text",
        "init",
        "api_retry",
        "compact_boundary",
        "success",
      ],
      [
        ...COMMON,
        "subtype",
        "session_id",
        "result",
        "is_error",
        "modelUsage",
        "parent_tool_use_id",
        "total_cost_usd",
        "input_tokens",
        "output_tokens",
        "contextWindow",
      ],
    ),
    pieces: PIECES,
  },
  {
    name: "codex-stream",
    read: through(() => createCodexReader(order)),
    texts: jsonLines(
      [
        "thread.started",
        "turn.started",
        "turn.completed",
        "turn.failed",
        "item.started",
        "item.completed",
        "error",
        "agent_message",
        "command_execution",
        "file_change",
        "todo_list",
      ],
      [
        ...COMMON,
        "item",
        "thread_id",
        "command",
        "changes",
        "path",
        "items",
        "input_tokens",
        "output_tokens",
        "cached_input_tokens",
      ],
    ),
    pieces: PIECES,
  },
  {
    name: "codex-rollout",
    read: (text) => text.split("\n").map(readRolloutLine),
    texts: jsonLines(
      ["event_msg", "token_count", "compacted", "session_meta"],
      [
        ...COMMON,
        "payload",
        "info",
        "total_token_usage",
        "last_token_usage",
        "model_context_window",
        "timestamp",
        "input_tokens",
      ],
    ),
    pieces: PIECES,
  },
  {
    name: "gemini-stream",
    read: through(() => createGeminiReader(order)),
    texts: jsonLines(
      ["init", "message", "tool_use", "tool_result", "error", "result", "assistant", "success"],
      [
        ...COMMON,
        "role",
        "delta",
        "session_id",
        "stats",
        "tool_name",
        "parameters",
        "severity",
        "models",
        "tokens",
      ],
    ),
    pieces: PIECES,
  },
  {
    name: "opencode-stream",
    read: through(() => createOpencodeReader(order, 128_000)),
    texts: jsonLines(
      ["step_start", "step_finish", "text", "tool_use", "error", "reasoning", "stop"],
      [
        ...COMMON,
        "part",
        "sessionID",
        "messageID",
        "reason",
        "tokens",
        "cost",
        "cache",
        "state",
        "tool",
        "data",
        "statusCode",
        "responseHeaders",
        "responseBody",
      ],
    ),
    pieces: PIECES,
  },
];
