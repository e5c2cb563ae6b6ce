import { plainText } from "../text/escape-text.ts";
import { quote } from "../text/quote.ts";
import type { Judgement, ToolCall } from "./judgement.ts";
import type { Unreadable } from "./shell/shell-script.ts";
import { showCommand } from "./show-command.ts";

const UNREADABLE: Readonly<Record<Unreadable, string>> = {
  unfinished: "a quote, a bracket or a `case` in it is not closed. Close it, or run the commands one by one.",
  "too-deep": "it nests too deeply. Run the commands one by one.",
  "too-long":
    "it is longer than 20,000 characters. Write the text to a file with your file writing tool, and keep the command short.",
};

/** What agents, people and the log read about commands that were judged. */
export const policyTexts = {
  denied: (source: string, reason: string): string => `Loom did not run ${quote(source)}. ${reason}`,
  unreadable: (why: Unreadable): string => `Loom did not run the command: ${UNREADABLE[why]}`,
  noRule: (source: string): string =>
    `Loom did not run ${quote(source)}. Its rules allow only commands that they name.`,
  refused: (answer: string): string =>
    `Loom did not run the command. A person was asked and answered: ${plainText(answer)}`,
  question: (command: string, reasons: readonly string[]): string =>
    `May the agent run ${showCommand(command)}? ${reasons.join(" ")} Answer yes to allow it, or say what to do instead.`,
  askedFor: "The rules allow only commands that they name without asking.",
  /** For an agent whose command has to wait. */
  waiting: (question: string): string =>
    `Loom asks a person first and goes on with the answer. Stop here, and do not try the same in another way. The question: ${question}`,
  logged: describeJudgement,
};

/** One line for the log. */
export function describeJudgement(call: ToolCall, judgement: Judgement): string {
  const what = call.command === null ? plainText(call.tool) : showCommand(call.command);
  switch (judgement.kind) {
    case "allow":
      return `Allowed ${what}.`;
    case "deny":
      return `Denied ${what}. ${judgement.reason}`;
    case "ask":
      return `Asked: ${judgement.question}`;
  }
}
