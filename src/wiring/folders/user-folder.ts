import { isAbsolute, join } from "node:path";
import type { Env } from "../settings/env.ts";

/** Where the user keeps what is theirs alone: settings, prompts, policies. A relative XDG_CONFIG_HOME counts for nothing, by its own specification. */
export function userFolder({ LOOM_CONFIG, XDG_CONFIG_HOME }: Env, home: string): string {
  if (LOOM_CONFIG) return LOOM_CONFIG;
  return XDG_CONFIG_HOME && isAbsolute(XDG_CONFIG_HOME)
    ? join(XDG_CONFIG_HOME, "loom")
    : join(home, ".config", "loom");
}
