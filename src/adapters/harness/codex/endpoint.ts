import { responsesApi } from "../../../core/model-api/model-api.ts";
import type { Environment } from "../agent-environment.ts";
import type { Endpoint, MissingEndpoint } from "../cli/cli.ts";

const KEYS = ["OPENAI_API_KEY", "CODEX_API_KEY"] as const;

const UPSTREAM = "https://api.openai.com/v1";

/** Codex asks for `<base>/responses`, so the endpoint leads to the base itself, version included. */
export function findCodexEndpoint(env: Environment): Endpoint | MissingEndpoint {
  const keyName = KEYS.find((name) => env[name]?.trim());
  const key = keyName === undefined ? undefined : env[keyName]?.trim();
  if (keyName === undefined || !key) {
    return {
      kind: "missing",
      reason: "codex has no key: OPENAI_API_KEY is not set.",
      next: "Set OPENAI_API_KEY to an API key; a login of codex itself can't be used in a sandbox.",
    };
  }
  return {
    kind: "endpoint",
    keyName,
    model: { upstream: baseIn(env.OPENAI_BASE_URL?.trim()), key, api: responsesApi("") },
  };
}

/** By custom the address ends in a version; one that is nothing but a host lacks it. */
function baseIn(address: string | undefined): string {
  if (!address) return UPSTREAM;
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  return url.pathname === "/" && url.search === "" ? `${url.origin}/v1` : address;
}
