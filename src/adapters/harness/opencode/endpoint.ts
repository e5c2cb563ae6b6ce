import { chatApi } from "../../../core/model-api/model-api.ts";
import type { Environment } from "../agent-environment.ts";
import type { Endpoint, MissingEndpoint } from "../cli/cli.ts";
import { PROVIDERS, providerOf, splitModel } from "./providers.ts";

/** The model's name says which provider is asked, and so which key is needed. */
export function findOpencodeEndpoint(env: Environment, model: string | null): Endpoint | MissingEndpoint {
  if (model === null) {
    return {
      kind: "missing",
      reason: "opencode has no model of its own.",
      next: "Set LOOM_OPENCODE_MODEL=provider/model, such as anthropic/claude-sonnet-4-5.",
    };
  }
  const named = splitModel(model);
  if (named === null) {
    return {
      kind: "missing",
      reason: `opencode does not know whose model ${model} is.`,
      next: "Write it as provider/model, such as anthropic/claude-sonnet-4-5.",
    };
  }
  const known = providerOf(named);
  if (known === null) return ownEndpoint(env, named.provider);
  const keyName = known.keys.find((name) => env[name]?.trim());
  const key = keyName === undefined ? undefined : env[keyName]?.trim();
  if (keyName === undefined || !key) {
    return {
      kind: "missing",
      reason: `opencode has no key for ${named.provider}: ${known.keys[0]} is not set.`,
      next: `Set ${known.keys[0]}, or choose another provider's model with LOOM_OPENCODE_MODEL.`,
    };
  }
  return { kind: "endpoint", keyName, model: { upstream: known.upstream(env), key, api: known.api } };
}

/** Any server that speaks as OpenAI's does. Those on one's own machine often want no key. */
function ownEndpoint(env: Environment, provider: string): Endpoint | MissingEndpoint {
  const upstream = env.LOOM_OPENCODE_URL?.trim();
  if (!upstream) {
    return {
      kind: "missing",
      reason: `Loom does not know where to find the provider ${provider}.`,
      next: `Set LOOM_OPENCODE_URL and LOOM_OPENCODE_KEY to an address that speaks as OpenAI's does (such as https://example.org/v1), or choose one of ${Object.keys(PROVIDERS).join(", ")}.`,
    };
  }
  const key = env.LOOM_OPENCODE_KEY?.trim() || "none";
  return {
    kind: "endpoint",
    keyName: "LOOM_OPENCODE_KEY",
    model: { upstream: upstream.replace(/(?<!\/)\/+$/, ""), key, api: chatApi("") },
  };
}
