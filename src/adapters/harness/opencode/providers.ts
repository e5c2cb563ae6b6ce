import {
  anthropicApi,
  chatApi,
  geminiApi,
  type ModelApi,
  responsesApi,
} from "../../../core/model-api/model-api.ts";
import { table } from "../../../core/table.ts";
import type { Environment } from "../agent-environment.ts";

export type Provider = {
  /** The variables that may hold its key, in the order in which they are taken. */
  readonly keys: readonly [string, ...string[]];
  /** The whole address before the paths of its API. */
  upstream(env: Environment): string;
  /** What opencode asks of it there. */
  readonly api: ModelApi;
};

/** By the names that opencode has for them. It brings what it needs to speak with each, so nothing has to be fetched. */
export const PROVIDERS: Readonly<Record<string, Provider>> = table({
  anthropic: {
    keys: ["ANTHROPIC_API_KEY"],
    upstream: (env) => below(env.ANTHROPIC_BASE_URL, "https://api.anthropic.com", "/v1"),
    api: anthropicApi(""),
  },
  deepseek: { keys: ["DEEPSEEK_API_KEY"], upstream: () => "https://api.deepseek.com", api: chatApi("") },
  google: {
    keys: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    upstream: (env) =>
      below(env.GOOGLE_GEMINI_BASE_URL, "https://generativelanguage.googleapis.com", "/v1beta"),
    api: geminiApi(""),
  },
  groq: { keys: ["GROQ_API_KEY"], upstream: () => "https://api.groq.com/openai/v1", api: chatApi("") },
  mistral: { keys: ["MISTRAL_API_KEY"], upstream: () => "https://api.mistral.ai/v1", api: chatApi("") },
  openai: {
    keys: ["OPENAI_API_KEY"],
    upstream: (env) => below(env.OPENAI_BASE_URL, "https://api.openai.com/v1", ""),
    api: [...responsesApi(""), ...chatApi("")],
  },
  openrouter: {
    keys: ["OPENROUTER_API_KEY"],
    upstream: () => "https://openrouter.ai/api/v1",
    api: chatApi(""),
  },
  xai: {
    keys: ["XAI_API_KEY"],
    upstream: () => "https://api.x.ai/v1",
    api: [...responsesApi(""), ...chatApi("")],
  },
});

export type ModelName = { readonly provider: string; readonly name: string };

/** `provider/model`; a model's own name may hold slashes. null: it is not of this form. */
export function splitModel(model: string): ModelName | null {
  const [, provider, name] = /^([a-z0-9][\w.-]*)\/(\S+)$/i.exec(model.trim()) ?? [];
  return provider === undefined || name === undefined ? null : { provider, name };
}

/** null: one that is reached through LOOM_OPENCODE_URL. */
export function providerOf({ provider }: ModelName): Provider | null {
  return Object.hasOwn(PROVIDERS, provider) ? (PROVIDERS[provider] ?? null) : null;
}

function below(base: string | undefined, usual: string, path: string): string {
  return `${(base?.trim() || usual).replace(/(?<!\/)\/+$/, "")}${path}`;
}
