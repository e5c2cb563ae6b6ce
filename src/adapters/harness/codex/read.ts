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
  shortBlock,
  shortLine,
  textAt,
} from "../cli/json-line.ts";
import { createLastWords } from "../cli/last-words.ts";
import type { Line } from "../read-lines.ts";
import { describeItem } from "./describe-item.ts";
import { followRollout } from "./follow-rollout.ts";
import { codexHome } from "./launch.ts";
import { readRolloutLine, type Totals, totalsIn } from "./read-rollout.ts";

/**
 * Reads codex's stream and, beside it, the rollout file of its thread: only there stand the context's share of the window,
 * the usage while a turn lasts, and that a conversation was compacted. Both tell sums since the beginning of the thread;
 * what an earlier session has used already is known from the older lines of the file.
 */
export function createCodexReader({ spec, model, home }: ReaderOrder): StreamReader {
  const startedAt = Date.now();
  const complaints = createLastWords();
  const begun = new Set<string>();
  let thread: string | null = null;
  let readOn: (() => Promise<string[]>) | null = null;
  let told: Totals | null = spec.resume === null ? { input: 0, output: 0 } : null;
  let text: string | null = null;
  let turn: "open" | "completed" | "failed" = "open";
  let said: string | null = null;

  const tellUsage = (totals: Totals | null): HarnessEvent[] => {
    if (totals === null || told === null) return [];
    const inputTokens = Math.max(0, totals.input - told.input);
    const outputTokens = Math.max(0, totals.output - told.output);
    if (inputTokens === 0 && outputTokens === 0) return [];
    told = { input: told.input + inputTokens, output: told.output + outputTokens };
    return [{ kind: "usage", usage: { inputTokens, outputTokens, costUsd: null } }];
  };

  const readItem = (item: JsonObject | null, phase: "started" | "completed"): HarnessEvent[] | null => {
    const tool = describeItem(item);
    if (tool !== null) {
      const id = (textAt(item, "id") ?? "").slice(0, 100);
      const events: HarnessEvent[] = begun.has(id) ? [] : [{ kind: "tool", ...tool }];
      if (phase === "completed") begun.delete(id);
      else if (begun.size < MOST_BEGUN) begun.add(id);
      return phase === "started" ? events : [...events, resultOf(item)];
    }
    const words = textAt(item, "text") ?? textAt(item, "message") ?? "";
    switch (textAt(item, "type")) {
      case "agent_message":
        if (phase === "started" || words.trim() === "") return [];
        text = words;
        return [{ kind: "text", text: words }];
      case "reasoning":
        return words.trim() === "" ? [] : [{ kind: "activity", text: shortLine(words) }];
      case "error":
        return words.startsWith("`--dangerously-") ? [] : [{ kind: "output", text: shortBlock(words) }];
      case "todo_list":
        return [];
      default:
        return null;
    }
  };

  const readEvent = (event: JsonObject): HarnessEvent[] | null => {
    switch (textAt(event, "type")) {
      case "thread.started":
        if (thread !== null) return [];
        thread = textAt(event, "thread_id");
        if (thread !== null) readOn = followRollout(codexHome(home), thread);
        return [{ kind: "started", model, conversation: thread }];
      case "turn.started":
        turn = "open";
        return [];
      case "item.started":
        return readItem(objectAt(event, "item"), "started");
      case "item.updated":
        return [];
      case "item.completed":
        return readItem(objectAt(event, "item"), "completed");
      case "turn.completed":
        turn = "completed";
        return tellUsage(totalsIn(objectAt(event, "usage")));
      case "turn.failed":
        turn = "failed";
        said = textAt(event, "error", "message") ?? said;
        return [];
      case "error": {
        const message = textAt(event, "message") ?? "";
        const again = /^Reconnecting\W*(\d+\/\d+)?\s*\(?([\s\S]*?)\)?$/.exec(message);
        if (again !== null)
          return [{ kind: "retrying", reason: shortLine(`${again[1] ?? ""} ${again[2] ?? ""}`) }];
        said = message;
        return [{ kind: "output", text: shortBlock(message) }];
      }
      default:
        return null;
    }
  };

  return {
    read(line: Line) {
      if (line.stream === "stderr") {
        // A command that the guard or the sandbox does not let through is told nowhere else.
        const refused = REFUSED.exec(line.text)?.[1];
        if (refused !== undefined) return [{ kind: "tool-result", ok: false, text: shortBlock(refused) }];
        if (!NOISE.test(line.text)) complaints.add(line.text);
      }
      return eventsOf(line, readEvent);
    },

    async look() {
      const news = (await readOn?.())?.map(readRolloutLine).filter((found) => found !== null) ?? [];
      const events: HarnessEvent[] = [];
      for (const found of news) {
        const isHistory = spec.resume !== null && found.at < startedAt;
        if (found.kind === "compacted") {
          if (!isHistory) events.push({ kind: "compacted" });
        } else if (isHistory) told = found.totals ?? told;
        else {
          told ??= { input: 0, output: 0 };
          events.push(...tellUsage(found.totals));
          if (found.context !== null) events.push({ kind: "context", ...found.context });
        }
      }
      return events;
    },

    conclude(exit: ProcessExit, traffic: readonly Traffic[]): Conclusion {
      const failure = turn === "completed" ? null : failureOf(turn, said ?? complaints.text(), exit, traffic);
      return { failure, text, resume: thread };
    },
  };
}

/** Far more than run side by side. */
const MOST_BEGUN = 1_000;

const REFUSED = /^\S+\s+ERROR codex_core::tools::router: error=([\s\S]+)/;
/** What it says in good days, too. */
const NOISE = /^(?:WARNING:|\d{4}-\d\d-\d\dT\S+\s+(?:ERROR|WARN|INFO|DEBUG)\b|Reading prompt from stdin)/;

function resultOf(item: JsonObject | null): HarnessEvent {
  const code = amountAt(item, "exit_code");
  const status = textAt(item, "status");
  const ok = (status === null || status === "completed") && (code === null || code === 0);
  const output = textAt(item, "aggregated_output") ?? textAt(item, "error", "message") ?? "";
  return { kind: "tool-result", ok, text: shortBlock(output) };
}

function failureOf(
  turn: "open" | "failed",
  said: string | null,
  exit: ProcessExit,
  traffic: readonly Traffic[],
): AgentFailure {
  const complaint = turn === "failed" || (exit.kind === "exited" && exit.code !== 0) ? said : null;
  return classifyFailure({ traffic, said: complaint, exit, harness: "codex" }) ?? CUT_OFF;
}
