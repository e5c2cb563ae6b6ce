import type { AgentCliId } from "../../setup/agent-clis.ts";

/**
 * Every place in a repository that the CLIs look at by themselves, in their versions of `test/setup/agent-clis.ts`,
 * driven as Loom drives them: names at the root of the tree or in any folder above a file that the agent read.
 *
 * When a new version looks at a new place, decide: if what stands there can instruct the agent, change its settings or
 * start something, it belongs into `src/core/paths/agent-config.ts`; else into `HARMLESS`, with the reason. Then list it
 * here.
 */
export const PLACES: Readonly<Record<AgentCliId, readonly string[]>> = {
  claude: [".claude", ".*.from.json", ".git", ".gitattributes", ".gitignore", ".mailmap"],
  codex: [".agents", ".codex", ".git", ".gitattributes", ".gitignore"],
  gemini: [".geminiignore", "AGENTS.md", "GEMINI.md", "loom-rules.md", ".git", ".gitignore", "package.json"],
  opencode: [
    ".opencode",
    "AGENTS.md",
    "CONTEXT.md",
    "opencode.json",
    "opencode.jsonc",
    ".git",
    ".gitattributes",
    ".gitignore",
    ".ignore",
    ".jj",
    "HEAD",
  ],
};

/** Places that can neither instruct an agent nor start anything. */
export const HARMLESS: Readonly<Record<string, string>> = {
  ".git": "belongs to git; nothing below such a name is ever taken from an agent",
  ".gitattributes": "names drivers and filters, which only settings could define; those are Loom's copy",
  ".gitignore": "says what searches pass over",
  ".ignore": "says what searches pass over",
  ".mailmap": "gives authors in the history other names",
  ".jj": "is looked for, to tell another kind of repository",
  HEAD: "is looked for by git, to tell a bare repository; a change that brings one is refused",
  "package.json": "is read as data about the project",
};
