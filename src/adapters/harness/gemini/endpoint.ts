import { geminiApi } from "../../../core/model-api/model-api.ts";
import type { Environment } from "../agent-environment.ts";
import type { Endpoint, MissingEndpoint } from "../cli/cli.ts";

const KEYS = ["GEMINI_API_KEY", "GOOGLE_API_KEY"] as const;
const UPSTREAM = "https://generativelanguage.googleapis.com";

export function findGeminiEndpoint(env: Environment): Endpoint | MissingEndpoint {
  const keyName = KEYS.find((name) => env[name]?.trim());
  const key = keyName === undefined ? undefined : env[keyName]?.trim();
  if (keyName === undefined || !key) {
    return {
      kind: "missing",
      reason: "gemini has no key: GEMINI_API_KEY is not set.",
      next: "Set GEMINI_API_KEY to a key from Google AI Studio.",
    };
  }
  return {
    kind: "endpoint",
    keyName,
    model: { upstream: env.GOOGLE_GEMINI_BASE_URL?.trim() || UPSTREAM, key, api: geminiApi("/v1beta") },
  };
}
