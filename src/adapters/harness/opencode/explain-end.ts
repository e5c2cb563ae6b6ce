import type { AgentFailure } from "../../../core/session/agent-failure.ts";
import type { ProcessExit } from "../../../ports/process-supervisor.ts";
import type { Traffic } from "../../../ports/sandbox.ts";
import { CUT_OFF, classifyFailure } from "../cli/classify-failure.ts";
import { amountAt, type JsonObject, textAt } from "../cli/json-line.ts";

export type OpencodeEnd = {
  /** The last error that nothing good came after. */
  readonly error: JsonObject | null;
  /** Why the last step ended. */
  readonly reason: string | null;
  readonly steps: number;
  readonly maxTurns: number | null;
  /** The end of standard error. */
  readonly complaint: string | null;
  readonly exit: ProcessExit;
  readonly traffic: readonly Traffic[];
};

/**
 * Why a session of opencode failed; null when it did not. Its exit code is 0 too when a permission was refused or the
 * answer was cut, so only a last step that ended by itself is a good end.
 */
export function explainEnd(end: OpencodeEnd): AgentFailure | null {
  const { error, reason, steps, maxTurns, exit, traffic } = end;
  if (error === null && reason === "stop") {
    return maxTurns !== null && steps > maxTurns
      ? failure("turns", `The limit of ${maxTurns} ${maxTurns === 1 ? "turn" : "turns"} is reached.`)
      : null;
  }
  if (error === null && reason === "length")
    return failure("unknown", "The model's answer was longer than it may be, and was cut.");
  if (error === null && reason === "content-filter")
    return failure("unknown", "The provider held the model's answer back.");
  const said = error === null ? complaintOf(end) : wordsOf(error);
  const status = amountAt(error, "data", "statusCode");
  const found = classifyFailure({ traffic, said, status, exit, harness: "opencode" });
  if (found !== null && textAt(error, "name") === "ContextOverflowError")
    return { ...found, kind: "context" };
  return found ?? CUT_OFF;
}

function wordsOf(error: JsonObject): string {
  const message = textAt(error, "data", "message") ?? textAt(error, "message");
  return message || textAt(error, "name") || "no reason was given";
}

/** Only a program that failed has something to say on standard error. */
function complaintOf({ complaint, exit }: OpencodeEnd): string | null {
  return exit.kind === "exited" && exit.code !== 0 ? complaint : null;
}

function failure(kind: AgentFailure["kind"], message: string): AgentFailure {
  return { kind, message, resetsAt: null };
}
