import { isAgentConfigName } from "./agent-config.ts";
import { foldPath, isShortNameOf } from "./fold-path.ts";

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

/** `alsoProtected`: further paths of this run, files or folders, such as the plan. */
export function isProtectedPath(path: string, alsoProtected: readonly string[] = []): boolean {
  const folded = foldPath(path);
  const names = folded.split("/");
  return (
    alsoProtected.some((other) => isAtOrBelow(folded, foldPath(other))) ||
    AT_ROOT.some((other) => isAtOrBelow(folded, other) || isShortNameOf(names[0] ?? "", other)) ||
    names.some(isAgentConfigName)
  );
}

function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
