import type { IncomingMessage, ServerResponse } from "node:http";
import * as z from "zod";
import type { ProcessExit } from "../../../ports/process-supervisor.ts";
import { answerText } from "./http/answer.ts";
import { readBody } from "./http/read-body.ts";

const MAX_BYTES = 4096;

const processExit = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("exited"), code: z.int().min(0).max(255) }),
  z.strictObject({ kind: z.literal("signalled"), signal: z.string().regex(/^SIG[A-Z0-9]{2,10}$/) }),
  z.strictObject({ kind: z.literal("not-started"), reason: z.string().min(1).max(2000) }),
]);

export type ExitEndpoint = {
  /** From now on this token may speak. */
  expect(token: string): void;
  take(request: IncomingMessage, response: ServerResponse): Promise<void>;
  exitOf(token: string): ProcessExit | null;
};

/**
 * Hears from each relay how its program ended. Only tokens that were given out are heard, or a program could use up all
 * places before the next one starts. A token speaks once, and the relay begins its request before the program
 * runs and ends it afterwards: whatever the program finds out about the token, it comes too late to lie about its own end.
 */
export function createExitEndpoint(): ExitEndpoint {
  const expected = new Set<string>();
  const exits = new Map<string, ProcessExit | null>();
  return {
    expect: (token) => void expected.add(token),
    exitOf: (token) => exits.get(token) ?? null,
    async take(request, response) {
      const token = request.headers["x-loom-token"];
      if (typeof token !== "string" || !/^[\w.-]{8,200}$/.test(token)) {
        answerText(response, 400, "The token is missing.");
        return;
      }
      if (!expected.delete(token)) {
        answerText(response, 409, "This token is unknown or has been used.");
        return;
      }
      // Open for as long as the program runs, without a word.
      request.socket.setTimeout(0);
      const body = await readBody(request, MAX_BYTES, null);
      const exit = body.kind === "read" ? processExit.safeParse(parse(body.text)) : null;
      if (exit?.success) {
        exits.set(token, exit.data);
        answerText(response, 200, "Noted.");
      } else answerText(response, 400, "This is not the end of a program.");
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
