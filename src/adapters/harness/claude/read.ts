import type { AgentFailure } from "../../../core/session/agent-failure.ts";
import type { HarnessEvent } from "../../../ports/harness.ts";
import type { ProcessExit } from "../../../ports/process-supervisor.ts";
import type { Traffic } from "../../../ports/sandbox.ts";
import { CUT_OFF, classifyFailure } from "../cli/classify-failure.ts";
import type { Conclusion, ReaderOrder, StreamReader } from "../cli/cli.ts";
import {
  amountAt,
  eventsOf,
  type JsonObject,
  objectAt,
  objectsAt,
  shortBlock,
  shortLine,
  textAt,
  valueAt,
} from "../cli/json-line.ts";
import { createLastWords } from "../cli/last-words.ts";
import type { Line } from "../read-lines.ts";
import { contextOf, createUsageCounter, windowOf } from "./count-usage.ts";
import { describeTool } from "./describe-tool.ts";

/**
 * Reads claude's stream. Sub-agents speak in it too, told by `parent_tool_use_id`: what they do is activity, what they
 * use counts, but neither their texts nor their windows are the session's, and only a result ends it.
 */
export function createClaudeReader({ spec }: ReaderOrder): StreamReader {
  const usage = createUsageCounter(spec.resume !== null);
  const complaints = createLastWords();
  let conversation: string | null = null;
  let model: string | null = null;
  let window: number | null = null;
  let context: number | null = null;
  let text: string | null = null;
  let error: string | null = null;
  let result: JsonObject | null = null;

  const contextEvents = (): HarnessEvent[] =>
    window === null || context === null ? [] : [{ kind: "context", used: context, window }];

  const readSystem = (event: JsonObject): readonly HarnessEvent[] | null => {
    switch (textAt(event, "subtype")) {
      case "init": {
        if (conversation !== null) return [];
        conversation = textAt(event, "session_id");
        model = textAt(event, "model");
        return [{ kind: "started", model, conversation }];
      }
      case "api_retry":
        return [{ kind: "retrying", reason: explainRetry(event) }];
      case "compact_boundary":
        return [{ kind: "compacted" }];
      case "task_started":
      case "task_progress": {
        const doing = shortLine(textAt(event, "description") ?? "");
        return doing === "" ? [] : [{ kind: "activity", text: `sub-agent: ${doing}` }];
      }
      default:
        return SILENT_SYSTEM.has(textAt(event, "subtype") ?? "") ? [] : null;
    }
  };

  const readAssistant = (event: JsonObject): HarnessEvent[] => {
    const message = objectAt(event, "message");
    const events: HarnessEvent[] = [];
    const main = textAt(event, "parent_tool_use_id") === null;
    if (valueAt(event, "is_api_error_message") === true || textAt(message, "model") === "<synthetic>") {
      const said = objectsAt(message, "content").map((part) => textAt(part, "text") ?? "");
      error = said.join("\n");
      return [{ kind: "output", text: shortBlock(error) }];
    }
    for (const part of objectsAt(message, "content")) {
      const said = textAt(part, "text") ?? "";
      if (textAt(part, "type") === "text" && said.trim() !== "") {
        if (main) text = said;
        events.push(
          main ? { kind: "text", text: said } : { kind: "activity", text: `sub-agent: ${shortLine(said)}` },
        );
      }
      if (textAt(part, "type") === "tool_use") {
        const name = shortLine(textAt(part, "name") ?? "tool");
        const detail = describeTool(objectAt(part, "input"));
        events.push(
          main
            ? { kind: "tool", name, detail }
            : { kind: "activity", text: `sub-agent: ${name} ${detail}`.trim() },
        );
      }
    }
    const used = usage.ofMessage(message);
    if (used !== null) events.push({ kind: "usage", usage: used });
    const taken = main ? contextOf(message) : null;
    if (taken !== null && taken !== context) {
      context = taken;
      events.push(...contextEvents());
    }
    return events;
  };

  const readUser = (event: JsonObject): HarnessEvent[] => {
    if (textAt(event, "parent_tool_use_id") !== null) return [];
    return objectsAt(event, "message", "content")
      .filter((part) => textAt(part, "type") === "tool_result")
      .map((part) => ({
        kind: "tool-result",
        ok: valueAt(part, "is_error") !== true,
        text: shortBlock(textOfResult(part)),
      }));
  };

  const readResult = (event: JsonObject): HarnessEvent[] => {
    result = event;
    const events: HarnessEvent[] = [];
    const used = usage.ofResult(event);
    if (used !== null) events.push({ kind: "usage", usage: used });
    const known = window;
    window = windowOf(event, model) ?? window;
    if (window !== known) events.push(...contextEvents());
    return events;
  };

  const readEvent = (event: JsonObject): readonly HarnessEvent[] | null => {
    switch (textAt(event, "type")) {
      case "system":
        return readSystem(event);
      case "assistant":
        return readAssistant(event);
      case "user":
        return readUser(event);
      case "result":
        return readResult(event);
      case "control_response": {
        const answer = objectAt(event, "response", "response");
        window = amountAt(answer, "rawMaxTokens") || amountAt(answer, "maxTokens") || window;
        return [];
      }
      case "rate_limit_event": {
        const info = objectAt(event, "rate_limit_info");
        if (textAt(info, "status") !== "rejected") return [];
        const resetsAt = amountAt(info, "resetsAt");
        return [{ kind: "rate-limit", resetsAt: resetsAt === null ? null : resetsAt * 1000 }];
      }
      default:
        return SILENT.has(textAt(event, "type") ?? "") ? [] : null;
    }
  };

  return {
    read(line: Line) {
      if (line.stream === "stderr") complaints.add(line.text);
      return eventsOf(line, readEvent);
    },

    conclude(exit: ProcessExit, traffic: readonly Traffic[]): Conclusion {
      const said = result === null ? null : textAt(result, "result");
      const done = result !== null && valueAt(result, "is_error") !== true && !isError(result);
      const failure = done ? null : failureOf(result, error ?? complaints.text(), exit, traffic);
      return { failure, text: (done ? said : null) ?? text, resume: conversation };
    },
  };
}

/** Known, and of no use here. */
const SILENT = new Set([
  "stream_event",
  "tool_progress",
  "keep_alive",
  "prompt_suggestion",
  "tool_use_summary",
]);
const SILENT_SYSTEM = new Set([
  "background_tasks_changed",
  "hook_progress",
  "hook_started",
  "status",
  "task_notification",
  "task_updated",
  "thinking_tokens",
  "vcs_state_changed",
]);

function isError(result: JsonObject): boolean {
  return textAt(result, "subtype")?.startsWith("error") ?? false;
}

function failureOf(
  result: JsonObject | null,
  said: string | null,
  exit: ProcessExit,
  traffic: readonly Traffic[],
): AgentFailure {
  const errors = valueAt(result, "errors");
  const listed = Array.isArray(errors) ? errors.filter((item) => typeof item === "string").join("; ") : "";
  const subtype = textAt(result, "subtype") ?? "";
  if (subtype === "error_max_turns" || subtype.startsWith("error_max_budget")) {
    const limit = shortLine(listed).replace(/\.$/, "") || "Its limit of turns or money is reached";
    return { kind: "turns", message: `${limit}.`, resetsAt: null };
  }
  if (result === null) {
    const complaint = exit.kind === "exited" && exit.code !== 0 ? said : null;
    return classifyFailure({ traffic, said: complaint, exit, harness: "claude" }) ?? CUT_OFF;
  }
  const words = listed || textAt(result, "result") || said || "no reason was given";
  const status = amountAt(result, "api_error_status");
  return classifyFailure({ traffic, said: words, status, exit, harness: "claude" }) ?? CUT_OFF;
}

function explainRetry(event: JsonObject): string {
  const status = amountAt(event, "error_status");
  const error = shortLine((textAt(event, "error") ?? "").replaceAll("_", " "));
  const why = [status === null ? "no answer" : `status ${status}`, error === "unknown" ? "" : error];
  const [attempt, most] = [amountAt(event, "attempt"), amountAt(event, "max_retries")];
  const count = attempt === null || most === null ? "" : `, attempt ${attempt} of ${most}`;
  return `${why.filter((part) => part !== "").join(", ")}${count}`;
}

function textOfResult(part: JsonObject): string {
  const whole = textAt(part, "content");
  if (whole !== null) return whole;
  return objectsAt(part, "content")
    .map((item) => textAt(item, "text") ?? `(${textAt(item, "type") ?? "something"})`)
    .join("\n");
}
