import type { HarnessEvent } from "../../../ports/harness.ts";
import type { ProcessExit } from "../../../ports/process-supervisor.ts";
import type { Traffic } from "../../../ports/sandbox.ts";
import type { Conclusion, ReaderOrder, StreamReader } from "../cli/cli.ts";
import { describeInput } from "../cli/describe-input.ts";
import {
  amountAt,
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
import { explainEnd } from "./explain-end.ts";

/**
 * Reads opencode's stream. A tool is told of when it has ended, so its call and its result come together. Numbers are per
 * step, each step being one request, so nothing is counted twice when a conversation is gone on with.
 */
export function createOpencodeReader({ spec, model }: ReaderOrder, window: number): StreamReader {
  const complaints = createLastWords();
  let conversation: string | null = null;
  let text: string | null = null;
  let error: JsonObject | null = null;
  let reason: string | null = null;
  let steps = 0;
  let open: string | null = null;

  const started = (event: JsonObject): HarnessEvent[] => {
    if (conversation !== null) return [];
    conversation = textAt(event, "sessionID");
    return conversation === null ? [] : [{ kind: "started", model, conversation }];
  };

  const readTool = (part: JsonObject | null): HarnessEvent[] => {
    const name = shortLine(textAt(part, "tool") ?? "tool");
    const detail = describeInput(objectAt(part, "state", "input"), TELLING);
    const ok = textAt(part, "state", "status") === "completed";
    const said = textAt(part, "state", ok ? "output" : "error") ?? "";
    return [
      { kind: "tool", name, detail },
      { kind: "tool-result", ok, text: shortBlock(said) },
    ];
  };

  const readStep = (part: JsonObject | null): HarnessEvent[] => {
    steps += 1;
    open = null;
    reason = textAt(part, "reason");
    if (reason === "stop") error = null;
    const tokens = objectAt(part, "tokens");
    const inputTokens = sum(tokens, ["input"], ["cache", "read"], ["cache", "write"]);
    const outputTokens = sum(tokens, ["output"], ["reasoning"]);
    if (inputTokens + outputTokens === 0) return [];
    // It reckons with a price of nothing where it knows none.
    const costUsd = amountAt(part, "cost") || null;
    const used = inputTokens + outputTokens;
    return [
      { kind: "usage", usage: { inputTokens, outputTokens, costUsd } },
      { kind: "context", used, window },
    ];
  };

  const readEvent = (event: JsonObject): HarnessEvent[] | null => {
    const part = objectAt(event, "part");
    switch (textAt(event, "type")) {
      case "step_start": {
        const again = open !== null && open === textAt(part, "messageID");
        open = textAt(part, "messageID");
        return again ? [{ kind: "retrying", reason: "the answer broke off" }] : [];
      }
      case "text": {
        const said = textAt(part, "text") ?? "";
        if (said.trim() === "") return [];
        text = said;
        return [{ kind: "text", text: said }];
      }
      case "reasoning":
        return [];
      case "tool_use":
        return readTool(part);
      case "step_finish":
        return readStep(part);
      case "error": {
        error = objectAt(event, "error") ?? event;
        const said = textAt(error, "data", "message") ?? textAt(error, "name") ?? "an error";
        return [{ kind: "output", text: shortBlock(said) }];
      }
      default:
        return null;
    }
  };

  return {
    read(line: Line) {
      const event = eventIn(line);
      if (event === null && line.stream === "stderr") complaints.add(line.text);
      const events = event === null ? null : readEvent(event);
      if (event === null || events === null) return line.text.trim() === "" ? [] : [outputOf(line)];
      return [...started(event), ...events];
    },

    conclude(exit: ProcessExit, traffic: readonly Traffic[]): Conclusion {
      const complaint = complaints.text();
      const end = { error, reason, steps, maxTurns: spec.maxTurns, complaint, exit, traffic };
      return { failure: explainEnd(end), text, resume: conversation };
    },
  };
}

function sum(object: JsonObject | null, ...paths: readonly (readonly string[])[]): number {
  return paths.reduce((total, path) => total + (amountAt(object, ...path) ?? 0), 0);
}

/** What says most about a call, by the names that opencode's tools have for it. */
const TELLING = ["command", "filePath", "pattern", "path", "url", "query", "description", "name"];
