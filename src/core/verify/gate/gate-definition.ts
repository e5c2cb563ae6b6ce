import type { NamedFile } from "./files-of-command.ts";
import { type GateRule, ruleOfName } from "./gate-files.ts";
import { isTestFile } from "./is-test-file.ts";

/** What the commands of the gate name, ready to be asked. */
export type NamedFiles = {
  readonly isScript: (path: string) => boolean;
  readonly isData: (path: string) => boolean;
};

export function namedFiles(
  files: readonly NamedFile[],
  globOf: (pattern: string) => (path: string) => boolean,
): NamedFiles {
  const matching = (kinds: readonly NamedFile["kind"][]): ((path: string) => boolean) => {
    const wanted = files.filter(({ kind }) => kinds.includes(kind));
    const exact = new Set(
      wanted.filter(({ isGlob, kind }) => !isGlob && kind !== "folder").map(({ path }) => path),
    );
    const globs = wanted.filter(({ isGlob }) => isGlob).map(({ path }) => globOf(path));
    const folders = wanted.filter(({ kind, path }) => kind === "folder" && path !== ".");
    return (path) =>
      exact.has(path) ||
      globs.some((matches) => matches(path)) ||
      folders.some((folder) => path.startsWith(`${folder.path}/`));
  };
  return { isScript: matching(["script"]), isData: matching(["data", "folder"]) };
}

/**
 * Whether a file that a commit touched says what the gate is, and how much of it does (T37). Tests of the base do; a new
 * test does not, since it can only ask for more.
 */
export function gateRuleFor(path: string, isInBase: boolean, named: NamedFiles): GateRule | null {
  const rule = ruleOfName(path);
  if (rule !== null) return rule;
  if (named.isScript(path)) return "whole";
  return isInBase && (isTestFile(path) || named.isData(path)) ? "whole" : null;
}
