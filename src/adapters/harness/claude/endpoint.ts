import { anthropicApi } from "../../../core/model-api/model-api.ts";
import type { Environment } from "../agent-environment.ts";
import type { Endpoint, MissingEndpoint } from "../cli/cli.ts";

/** In the order in which they are taken: a key that is meant for programs before a person's subscription. */
const KEYS = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"] as const;
export type ClaudeKey = (typeof KEYS)[number];

const UPSTREAM = "https://api.anthropic.com";

export function findClaudeEndpoint(env: Environment): Endpoint | MissingEndpoint {
  const keyName = claudeKeyIn(env);
  const key = keyName === null ? undefined : env[keyName]?.trim();
  if (keyName === null || !key) {
    return {
      kind: "missing",
      reason: "claude has no key: ANTHROPIC_API_KEY is not set.",
      next: "Set ANTHROPIC_API_KEY, or CLAUDE_CODE_OAUTH_TOKEN with what `claude setup-token` prints.",
    };
  }
  return {
    kind: "endpoint",
    keyName,
    model: { upstream: env.ANTHROPIC_BASE_URL?.trim() || UPSTREAM, key, api: anthropicApi("/v1") },
  };
}

/** The variable decides by which header the key travels, so the placeholder has to be in the same one. */
export function claudeKeyIn(env: Environment): ClaudeKey | null {
  return KEYS.find((name) => env[name]?.trim()) ?? null;
}
