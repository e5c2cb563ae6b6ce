import * as z from "zod";
import { plainLines, plainText } from "../../core/text/escape-text.ts";
import { countCodePoints, cutText } from "../../core/text/text-width.ts";
import type { HarnessEvent } from "../../ports/harness.ts";

import { jsonLine, outputOf } from "./cli/json-line.ts";
import type { Line } from "./read-lines.ts";

/**
 * The small language that programs may speak to Loom, one JSON object per line. It is read with patience: a line that
 * says nothing usable is log output like any other, so nothing that an agent writes is ever lost or an error.
 */
export function readAgentLine(line: Line): HarnessEvent {
  return readMessage(line.text) ?? outputOf(line);
}

const MAX_ACTIVITY = 200;
const MAX_QUESTION = 4_000;

const amount = z.number().nonnegative().optional().catch(undefined);
const text = z.string().optional().catch(undefined);
const message = z.object({
  type: z.string(),
  input_tokens: amount,
  inputTokens: amount,
  output_tokens: amount,
  outputTokens: amount,
  cost_usd: amount,
  costUsd: amount,
  question: text,
  text,
  message: text,
});

function readMessage(line: string): HarnessEvent | null {
  const parsed = message.safeParse(jsonLine(line));
  if (!parsed.success) return null;
  const said = parsed.data;
  switch (said.type) {
    case "usage": {
      const inputTokens = said.input_tokens ?? said.inputTokens;
      const outputTokens = said.output_tokens ?? said.outputTokens;
      const costUsd = said.cost_usd ?? said.costUsd;
      if (inputTokens === undefined && outputTokens === undefined && costUsd === undefined) return null;
      return {
        kind: "usage",
        usage: { inputTokens: inputTokens ?? 0, outputTokens: outputTokens ?? 0, costUsd: costUsd ?? null },
      };
    }
    case "ask": {
      const question = cutQuestion(plainLines(said.question ?? said.text ?? said.message ?? "").trim());
      return question === "" ? null : { kind: "ask", question };
    }
    case "answer": {
      // As it is: it may be a document in which blanks count.
      const answer = said.text ?? said.message ?? "";
      return answer.trim() === "" ? null : { kind: "text", text: answer };
    }
    case "activity": {
      const activity = cutText(plainText(said.text ?? said.message ?? ""), MAX_ACTIVITY, countCodePoints);
      return activity === "" ? null : { kind: "activity", text: activity };
    }
    default:
      return null;
  }
}

function cutQuestion(question: string): string {
  const kept = cutText(question, MAX_QUESTION, countCodePoints);
  return kept === question ? question : `${kept} (${question.length - kept.length + 1} characters cut)`;
}
