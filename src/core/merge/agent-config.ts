import { foldName, isShortNameOf } from "./fold-path.ts";

/**
 * What configures agents or runs by itself for them, wherever it stands: each tool reads it from whatever folder it is
 * started in (T8). A name counts as a file and as a folder, since one can be replaced by the other.
 */
const NAMES = new Set([
  ".claude",
  ".codex",
  ".cursor",
  ".cursorrules",
  ".gemini",
  ".opencode",
  ".mcp.json",
  "agents.md",
  "agents.override.md",
  "claude.md",
  "claude.local.md",
  "gemini.md",
  "opencode.json",
  "opencode.jsonc",
  ".gitmodules",
  ".husky",
  ".env",
]);

const HARMLESS_ENV = new Set([".env.example", ".env.sample", ".env.template", ".env.dist"]);

/** For a repository path; one below such a name counts too. */
export function isAgentConfig(path: string): boolean {
  return path.split("/").some((name) => isAgentConfigName(foldName(name)));
}

/** For one name, folded as by `foldName`. */
export function isAgentConfigName(name: string): boolean {
  if (name.startsWith(".env.")) return !HARMLESS_ENV.has(name);
  return NAMES.has(name) || (name.includes("~") && [...NAMES].some((other) => isShortNameOf(name, other)));
}
