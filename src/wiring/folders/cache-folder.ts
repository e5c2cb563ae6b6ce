import { isAbsolute, join } from "node:path";
import type { Env } from "../settings/env.ts";
import { homeFolder } from "./home-folder.ts";

/** Where Loom keeps what it can make again. A relative XDG_CACHE_HOME counts for nothing, by its own specification. */
export function cacheFolder(env: Env): string {
  const { XDG_CACHE_HOME } = env;
  const caches =
    XDG_CACHE_HOME && isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homeFolder(env), ".cache");
  return join(caches, "loom");
}

/** Where work trees stand: not below `.git`, where tools such as Jest look at nothing. */
export function treesFolder(env: Env): string {
  return env.LOOM_TREES || join(cacheFolder(env), "trees");
}
