import type { IncomingMessage, ServerResponse } from "node:http";
import * as z from "zod";
import type { Judge } from "../../../core/policy/judgement.ts";
import { createFairQueue } from "./fair-queue.ts";
import { answerJson, answerText } from "./http/answer.ts";
import { readBody } from "./http/read-body.ts";

const MAX_BYTES = 1024 * 1024;
/** So many may ask at a time; a CLI that uses its tools side by side uses a dozen. */
const MAX_ASKING = 32;
/** A sandbox rests for this many times as long as a judgement took: it gets no more than a tenth of Loom's time. */
const REST = 9;
/** Ordinary judgements take less, and nobody rests after them. */
const FREE_MS = 20;

const toolCall = z.object({ tool: z.string().min(1), command: z.string().nullable() });

export type JudgeEndpoint = {
  take(request: IncomingMessage, response: ServerResponse): Promise<void>;
};

/**
 * Answers whether a tool may be used. What can't be judged is denied or refused, never let through.
 *
 * Judging takes the time of Loom's only thread, and a program in the sandbox can ask as often and at such length as it likes. So
 * a sandbox is judged one call after the other, and after a dear one it has to wait.
 */
export function createJudgeEndpoint(judge: Judge | null, withinMs: number): JudgeEndpoint {
  let asking = 0;
  const inTurn = createFairQueue({ freeMs: FREE_MS, rest: REST });

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request, MAX_BYTES, withinMs);
    if (body.kind === "too-long") {
      answerJson(response, 200, {
        kind: "deny",
        reason: "The command is longer than 1 MB, which nobody can judge.",
      });
      return;
    }
    if (body.kind === "cut-off") {
      answerText(response, 408, "The question was not asked to its end.");
      return;
    }
    const call = toolCall.safeParse(readJson(body.text));
    if (!call.success) {
      answerText(
        response,
        400,
        'A judgement is asked for as {"tool": "a name", "command": "a text or null"}.',
      );
      return;
    }
    const judgement = await inTurn(() => (judge === null ? { kind: "allow" } : judge(call.data)));
    answerJson(response, 200, judgement);
  };

  return {
    async take(request, response) {
      if (asking >= MAX_ASKING) {
        answerText(response, 503, "Too many questions are asked at a time.");
        return;
      }
      asking += 1;
      try {
        await answer(request, response);
      } finally {
        asking -= 1;
      }
    },
  };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
