import type { HarnessEvent } from "../../../ports/harness.ts";
import type { ProcessExit } from "../../../ports/process-supervisor.ts";
import type { Traffic } from "../../../ports/sandbox.ts";
import type { Conclusion, ReaderOrder, StreamReader } from "../cli/cli.ts";
import { describeInput } from "../cli/describe-input.ts";
import {
  eventIn,
  type JsonObject,
  objectAt,
  outputOf,
  shortBlock,
  shortLine,
  textAt,
} from "../cli/json-line.ts";
import { createLastWords } from "../cli/last-words.ts";
import type { Line } from "../read-lines.ts";
import { createConversationFollower } from "./conversations.ts";
import { createUsageCounter } from "./count-usage.ts";
import { explainEnd } from "./explain-end.ts";

/**
 * Reads gemini's stream. What the model says comes in parts, which are one text until something else comes. What a single
 * request took stands in a file only; the result at the end has the sums.
 */
export function createGeminiReader({ spec, model, home }: ReaderOrder): StreamReader {
  const usage = createUsageCounter();
  const complaints = createLastWords();
  let follower: ReturnType<typeof createConversationFollower> | null = null;
  let conversation: string | null = null;
  let context: number | null = null;
  let pending = "";
  let text: string | null = null;
  let error: string | null = null;
  let result: JsonObject | null = null;

  const flush = (): HarnessEvent[] => {
    const whole = pending.slice(-MOST_PENDING);
    pending = "";
    if (whole.trim() === "") return [];
    text = whole;
    return [{ kind: "text", text: whole }];
  };

  const readInit = (event: JsonObject): HarnessEvent[] => {
    if (conversation !== null) return [];
    conversation = textAt(event, "session_id");
    const since = textAt(event, "timestamp") ?? "";
    if (conversation !== null) follower = createConversationFollower(home, conversation, since);
    return [{ kind: "started", model: textAt(event, "model") ?? model, conversation }];
  };

  const readError = (event: JsonObject): HarnessEvent[] => {
    const message = textAt(event, "message") ?? "";
    const loops = /loop detected/i.test(message);
    if (message !== "" && (loops || textAt(event, "severity") !== "warning")) error = message;
    return message === "" ? [] : [{ kind: "output", text: shortBlock(message) }];
  };

  const readEvent = (event: JsonObject): readonly HarnessEvent[] | null => {
    switch (textAt(event, "type")) {
      case "init":
        return readInit(event);
      case "message":
        if (textAt(event, "role") === "assistant") pending += textAt(event, "content") ?? "";
        // Not at each part: to cut a text costs as much as all of it.
        if (pending.length > 2 * MOST_PENDING) pending = pending.slice(-MOST_PENDING);
        return [];
      case "tool_use": {
        const name = shortLine(textAt(event, "tool_name") ?? "tool");
        return [{ kind: "tool", name, detail: describeInput(objectAt(event, "parameters"), TELLING) }];
      }
      case "tool_result": {
        const ok = textAt(event, "status") === "success";
        const said = textAt(event, "error", "message") ?? textAt(event, "output") ?? "";
        return [{ kind: "tool-result", ok, text: shortBlock(said) }];
      }
      case "error":
        return readError(event);
      case "result": {
        result = event;
        const rest = usage.ofResult(objectAt(event, "stats"));
        return rest === null ? [] : [{ kind: "usage", usage: rest }];
      }
      default:
        return null;
    }
  };

  return {
    read(line: Line) {
      if (line.stream === "stderr") {
        if (NOISE.test(line.text)) return [];
        if (!STACK.test(line.text)) complaints.add(line.text);
        return [retryIn(line.text) ?? outputOf(line)];
      }
      const event = eventIn(line);
      const before = event !== null && textAt(event, "type") !== "message" ? flush() : [];
      return [...before, ...((event === null ? null : readEvent(event)) ?? [outputOf(line)])];
    },

    async look() {
      const events: HarnessEvent[] = [];
      for (const request of (await follower?.more()) ?? []) {
        const more = usage.ofRequest(request);
        if (more !== null) events.push({ kind: "usage", usage: more });
        const taken = request.input + request.output;
        if (request.input > 0 && taken !== context) {
          context = taken;
          events.push({ kind: "context", used: taken, window: windowOf(model) });
        }
      }
      return events;
    },

    conclude(exit: ProcessExit, traffic: readonly Traffic[]): Conclusion {
      flush();
      const words = complaints.text();
      const failure = explainEnd({ result, error, complaint: words, exit, traffic, maxTurns: spec.maxTurns });
      return { failure, text, resume: conversation };
    },
  };
}

/** A text may come in any number of parts; its end says what it comes to. */
const MOST_PENDING = 1_000_000;

/** Of no use to anyone; some of it at every start. */
const NOISE =
  /^\s*$|^YOLO mode is enabled|256-color support|Basic terminal detected|^Ripgrep is not available|^\[STARTUP\]|^Hook execution for |^Hook\(s\) \[|^\[WARNING\] Hook/;
const STACK = /^\s+at |^\}|^ {2}\w+: /;

/** Answers of the provider are seen on their way; that there was none is only said here. */
function retryIn(line: string): HarnessEvent | null {
  const attempt = /^Attempt (\d+) failed(?! with status)/.exec(line)?.[1];
  const retries = attempt !== undefined && !/max attempts/i.test(line);
  return retries ? { kind: "retrying", reason: `no answer, attempt ${attempt}` } : null;
}

/** The CLI does not say how long the window is; it reckons with the same for all models of this name. */
function windowOf(model: string | null): number {
  return model?.startsWith("gemma-") ? 256_000 : 1_048_576;
}

/** What says most about a call, by the names that gemini's tools have for it. */
const TELLING = [
  "command",
  "file_path",
  "pattern",
  "query",
  "dir_path",
  "path",
  "url",
  "title",
  "description",
];
