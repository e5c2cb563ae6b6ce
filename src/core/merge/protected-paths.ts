import { foldName, foldPath, isShortNameOf } from "./fold-path.ts";

/**
 * What no agent may change: what decides over reviews and pipelines, what configures the next agent, and secrets
 * (T8, T15). A name counts as a file and as a folder, since one can be replaced by the other.
 */

/** Have their effect at the root only. */
const AT_ROOT = [
  ".github",
  ".gitlab",
  ".gitlab-ci.yml",
  ".circleci",
  ".buildkite",
  ".travis.yml",
  "azure-pipelines.yml",
  "bitbucket-pipelines.yml",
  "jenkinsfile",
  ".loom",
  "codeowners",
  "docs/codeowners",
];

/** Read by a tool from whatever folder it is started in. */
const ANYWHERE = [
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
];

const HARMLESS_ENV = new Set([".env.example", ".env.sample", ".env.template", ".env.dist"]);

/** `alsoProtected`: further paths of this run, files or folders, such as the plan. */
export function isProtectedPath(path: string, alsoProtected: readonly string[] = []): boolean {
  const folded = foldPath(path);
  const names = folded.split("/");
  return (
    alsoProtected.some((other) => isAtOrBelow(folded, foldPath(other))) ||
    AT_ROOT.some((other) => isAtOrBelow(folded, other) || isShortNameOf(names[0] ?? "", other)) ||
    names.some(isProtectedName)
  );
}

function isProtectedName(name: string): boolean {
  if (name.startsWith(".env.")) return !HARMLESS_ENV.has(name);
  return ANYWHERE.some((other) => name === foldName(other) || isShortNameOf(name, other));
}

function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
