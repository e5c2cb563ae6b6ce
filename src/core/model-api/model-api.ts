import { ANTHROPIC_MESSAGE, ANTHROPIC_TOKENS } from "./anthropic-shape.ts";
import type { Shape } from "./body-shape.ts";
import { GEMINI_CONTENT, GEMINI_TOKENS } from "./gemini-shape.ts";
import { OPENAI_CHAT } from "./openai-chat-shape.ts";
import { OPENAI_RESPONSE } from "./openai-response-shape.ts";

/** One kind of request that an agent CLI sends to its model. */
export type ModelEndpoint = {
  readonly method: string;
  /** Of the whole path behind the address of the model. Plain letters alone: what is encoded in any way is no path here. */
  readonly path: RegExp;
  /** Where its key may stand: names of headers, and `?key` for the parameter. Elsewhere it would be written into logs. */
  readonly keyIn: readonly string[];
  /** Parameters that it may have, besides the key's. */
  readonly query: readonly string[];
  /** null: it is handed on unexamined. */
  readonly body: Shape;
};

/** All that a CLI needs of its model's provider; nothing else gets there (T31). */
export type ModelApi = readonly ModelEndpoint[];

/** A token of a proxy takes the place of the key. */
const ANTHROPIC_KEY = ["x-api-key", "authorization"];
const OPENAI_KEY = ["authorization"];
const GEMINI_KEY = ["x-goog-api-key", "?key"];

/** `base`: what the paths begin with, such as `/v1`; empty where the address of the model ends with it. */
export function anthropicApi(base: string): ModelApi {
  return [
    post(`${base}/messages`, ANTHROPIC_MESSAGE, ANTHROPIC_KEY, ["beta"]),
    post(`${base}/messages/count_tokens`, ANTHROPIC_TOKENS, ANTHROPIC_KEY, ["beta"]),
  ];
}

export function responsesApi(base: string): ModelApi {
  return [post(`${base}/responses`, OPENAI_RESPONSE, OPENAI_KEY)];
}

export function chatApi(base: string): ModelApi {
  return [post(`${base}/chat/completions`, OPENAI_CHAT, OPENAI_KEY)];
}

export function geminiApi(base: string): ModelApi {
  const model = `${base}/models/[A-Za-z0-9][A-Za-z0-9._-]{0,199}`;
  return [
    post(`${model}:(?:streamG|g)enerateContent`, GEMINI_CONTENT, GEMINI_KEY, ["alt"]),
    post(`${model}:countTokens`, GEMINI_TOKENS, GEMINI_KEY),
  ];
}

function post(
  pattern: string,
  body: Shape,
  keyIn: readonly string[],
  query: readonly string[] = [],
): ModelEndpoint {
  return { method: "POST", path: new RegExp(`^${pattern}$`), keyIn, query, body };
}
