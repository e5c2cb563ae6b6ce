import { foldName, isShortNameOf } from "./fold-path.ts";

/**
 * What configures or instructs agents, or runs by itself for them, wherever it stands: each tool reads it from whatever
 * folder it is started in, and some from every folder above a file that they read (T8, T38). A name counts as a file and
 * as a folder, since one can be replaced by the other; `*` stands for any run of characters.
 *
 * `test/harness/reads` traces the CLIs that Loom drives and holds what they look at against this list. The others are
 * tools that people use on the same repositories.
 */
const NAMES = [
  // Those that Loom drives; `loom-rules.md` is what gemini is told to take its rules from.
  ".claude*",
  "claude.md",
  "claude.local.md",
  ".*.from.json",
  ".agents",
  ".codex*",
  "agents.md",
  "agents.override.md",
  ".gemini*",
  "gemini.md",
  "loom-rules.md",
  ".opencode*",
  "opencode.json",
  "opencode.jsonc",
  "context.md",
  ".mcp.json",
  // Others.
  ".agent",
  "agent.md",
  ".aiassistant*",
  ".aider*",
  ".aiexclude",
  ".aiignore",
  ".amazonq*",
  ".amp",
  ".augment*",
  ".cline*",
  ".codebuddy*",
  "codebuddy.md",
  ".cody*",
  ".continue*",
  ".copilot*",
  "copilot-instructions.md",
  "*.instructions.md",
  "*.chatmode.md",
  ".crush*",
  "crush.json",
  "crush.md",
  ".cursor*",
  ".factory",
  ".goose*",
  ".grok*",
  ".iflow*",
  "iflow.md",
  ".junie*",
  ".kilocode*",
  ".kiro*",
  "mcp.json",
  ".openhands*",
  ".qwen*",
  "qwen.md",
  ".roo*",
  ".rovodev*",
  ".rules",
  ".serena*",
  ".tabnine*",
  ".trae*",
  ".warp*",
  "warp.md",
  ".windsurf*",
  ".zencoder*",
  // Run or read by themselves in the folder that an agent works in.
  ".gitmodules",
  ".husky",
  ".env",
];

const PATTERN = new RegExp(
  `^(?:${NAMES.map((name) => name.replaceAll(".", "\\.").replaceAll("*", ".*")).join("|")})$`,
  "s",
);

const HARMLESS_ENV = new Set([".env.example", ".env.sample", ".env.template", ".env.dist"]);

/** For a repository path; one below such a name counts too. */
export function isAgentConfig(path: string): boolean {
  return path.split("/").some((name) => isAgentConfigName(foldName(name)));
}

/** For one name, folded as by `foldName`. */
export function isAgentConfigName(name: string): boolean {
  if (name.startsWith(".env.")) return !HARMLESS_ENV.has(name);
  return PATTERN.test(name) || (name.includes("~") && NAMES.some((other) => isShortNameOf(name, other)));
}
