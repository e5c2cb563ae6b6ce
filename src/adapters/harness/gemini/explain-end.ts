import type { AgentFailure } from "../../../core/session/agent-failure.ts";
import type { ProcessExit } from "../../../ports/process-supervisor.ts";
import type { Traffic } from "../../../ports/sandbox.ts";
import { CUT_OFF, classifyFailure } from "../cli/classify-failure.ts";
import { type JsonObject, shortLine, textAt } from "../cli/json-line.ts";

export type GeminiEnd = {
  /** The last event of the stream; null: it never came. */
  readonly result: JsonObject | null;
  /** What an event called an error. */
  readonly error: string | null;
  /** The end of standard error. */
  readonly complaint: string | null;
  readonly exit: ProcessExit;
  readonly traffic: readonly Traffic[];
  readonly maxTurns: number | null;
};

/**
 * Why a session of gemini failed; null when it did not. A result that says `error` is one even with exit code 0, and so is
 * a loop that the CLI broke off, although its result says `success`.
 */
export function explainEnd(end: GeminiEnd): AgentFailure | null {
  const { result, error, exit, traffic } = end;
  if (result !== null && textAt(result, "status") === "success" && error === null) return null;
  const code = exit.kind === "exited" ? exit.code : null;
  if (code === TURN_LIMIT || textAt(result, "error", "type") === "FatalTurnLimitedError") {
    const { maxTurns } = end;
    const turns = maxTurns === null ? "turns" : `${maxTurns} ${maxTurns === 1 ? "turn" : "turns"}`;
    return { kind: "turns", message: `The limit of ${turns} is reached.`, resetsAt: null };
  }
  const known = code === null ? undefined : EXITS[code];
  const words = unwrap(textAt(result, "error", "message") ?? error ?? complaintOf(end));
  if (known !== undefined) return { ...known, message: tell(known.message, words), resetsAt: null };
  const said = result !== null && words === null ? "no reason was given" : words;
  const status = code === null ? null : statusOf(code);
  return classifyFailure({ traffic, said, status, exit, harness: "gemini" }) ?? CUT_OFF;
}

const TURN_LIMIT = 53;

/** Codes with a meaning of their own; those of a refused request are made from its status. */
const EXITS: Readonly<Record<number, Pick<AgentFailure, "kind" | "message">>> = {
  41: { kind: "auth", message: "gemini found no key" },
  42: { kind: "unknown", message: "gemini did not take what it was started with" },
  44: { kind: "unknown", message: "gemini could not start a sandbox of its own" },
  52: { kind: "unknown", message: "gemini did not take its settings" },
  55: { kind: "unknown", message: "gemini does not trust the work tree" },
};

/** The system keeps the lowest eight bits of the code that the CLI ends with, which is the status of the answer. */
function statusOf(code: number): number | null {
  const status = code + 256;
  return status >= 400 && status < 512 ? status : null;
}

/** Without a result only a program that failed has something to say on standard error. */
function complaintOf({ result, complaint, exit }: GeminiEnd): string | null {
  return result === null && exit.kind === "exited" && exit.code !== 0 ? complaint : null;
}

/** `[API Error: …]` and advice for people at a keyboard after it. */
function unwrap(said: string | null): string | null {
  const words = /^\[API Error: (.*?)\](?:\n.*)?$/s.exec(said ?? "")?.[1] ?? said;
  // All that node's own client says when the connection breaks.
  return words === "terminated" ? "the connection closed in the middle of an answer" : words;
}

function tell(head: string, words: string | null): string {
  const [first = ""] = (words ?? "").split("\n");
  const detail = shortLine(first).replace(/(?<![\s.])[\s.]+$/, "");
  return detail === "" ? `${head}.` : `${head}: ${detail}.`;
}
