import * as z from "zod";
import type { GitHubClient } from "../app.ts";
import { isForbidden, missingPermission, type TokenUse } from "./ask.ts";
import { GitHubFailure } from "./failure.ts";
import { readAnswer } from "./read-answer.ts";
import { GRAPHQL } from "./send.ts";

/**
 * For what only GraphQL knows. Whatever goes wrong in it comes with status 200, sometimes beside half an answer, which
 * counts as none. Everything asked here can be repeated: queries, and mutations that set what may be set already.
 */
export type GraphQlQuestion<T> = {
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Of `data`. */
  readonly shape: z.ZodType<T>;
  readonly use?: TokenUse;
};

const REPETITIONS = 3;
const RETRY_MS = 1000;

const ENVELOPE = z.object({
  data: z.unknown().optional(),
  errors: z.array(z.object({ type: z.string().nullish(), message: z.string() })).nullish(),
});

/** Resolves with null when what it is about does not exist, or not for the App. */
export async function askGraphQl<T>(
  { ask, pause }: GitHubClient,
  { document, variables, shape, use }: GraphQlQuestion<T>,
): Promise<T | null> {
  const how = { repeat: true, reads: !document.trimStart().startsWith("mutation"), ...(use && { use }) };
  for (let round = 1; ; round += 1) {
    const reply = await ask(GRAPHQL, { query: document, variables }, how);
    const { data, errors } = readAnswer(ENVELOPE, reply, GRAPHQL);
    if (!errors || errors.length === 0) return readAnswer(shape, { ...reply, data }, GRAPHQL);
    if (errors.every(({ type }) => type === "NOT_FOUND")) return null;
    const detail = errors.map(({ message }) => message).join(" · ");
    const failure = new GitHubFailure({ route: GRAPHQL, status: reply.status, detail, unsure: false });
    if (errors.some(({ type, message }) => type === "FORBIDDEN" || isForbidden(message)))
      throw missingPermission(reply, failure);
    // A question that is wrong has a type or a code; one that took GitHub too long has only a sentence.
    const isStumble = errors.every(
      ({ type, message }) => !type && /something went wrong|timeout/i.test(message),
    );
    if (!isStumble || round > REPETITIONS) throw failure;
    await pause(RETRY_MS * round);
  }
}
