import { isAbsolute, join } from "node:path";
import { readServiceNumber } from "../../core/config/settings/service-numbers.ts";
import { homeFolder } from "../folders/home-folder.ts";
import type { Env } from "./env.ts";

/** What a service reads from its environment, besides the settings of runs. */

export function dataFolder(env: Env): string {
  if (env.LOOM_DATA) return env.LOOM_DATA;
  const { XDG_STATE_HOME } = env;
  const states =
    XDG_STATE_HOME && isAbsolute(XDG_STATE_HOME) ? XDG_STATE_HOME : join(homeFolder(env), ".local", "state");
  return join(states, "loom");
}

/** GitHub's own advice is a second between writes; a look-alike on this machine does not mind. */
export function pacing(env: Env): { pacing?: { burst: number; everyMs: number } } {
  const everyMs = readServiceNumber(env, "LOOM_WRITE_PAUSE_MS");
  return everyMs === null ? {} : { pacing: { burst: 10, everyMs } };
}

export function slotsOf(env: Env): number | null {
  return readServiceNumber(env, "LOOM_MAX_PER_INSTALLATION");
}

/** Neither agents nor the checks, which run what agents wrote, may find the App's own keys (T10). */
export function withoutOwnSecrets(env: Env): Env {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !OWN_SECRETS.has(name)));
}

const OWN_SECRETS = new Set([
  "APP_ID",
  "LOOM_EVENTS_SECRET",
  "LOOM_EVENTS_URL",
  "PREVIOUS_PRIVATE_KEY",
  "PREVIOUS_PRIVATE_KEY_PATH",
  "PRIVATE_KEY",
  "PRIVATE_KEY_PATH",
  "REDIS_URL",
  "REDIS_PASSWORD",
  "WEBHOOK_SECRET",
]);
