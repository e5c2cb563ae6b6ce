import type { NamedFile } from "./files-of-command.ts";
import { type GateRule, ruleOfName } from "./gate-files.ts";
import { isTestFile } from "./is-test-file.ts";
import { shadowsModule } from "./shadows-module.ts";
import { isExpectation } from "./under-test.ts";

/** What the commands of the gate name, ready to be asked. */
export type NamedFiles = {
  readonly isScript: (path: string) => boolean;
  readonly isData: (path: string) => boolean;
  /** The gate comes to it by a roundabout way, and it is not what the gate proves. */
  readonly isHelper: (path: string) => boolean;
  /** Where Python looks for modules, besides the usual places. */
  readonly importFolders: ReadonlySet<string>;
};

export function namedFiles(
  files: readonly NamedFile[],
  globOf: (pattern: string) => (path: string) => boolean,
  more: { readonly helpers: ReadonlySet<string>; readonly importFolders: ReadonlySet<string> },
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
  return {
    isScript: matching(["script"]),
    isData: matching(["data", "folder"]),
    isHelper: (path) => more.helpers.has(path),
    importFolders: more.importFolders,
  };
}

/**
 * Whether a file that a commit touched says what the gate is, and how much of it does (T37). Tests of the base do; a new
 * test does not, since it can only ask for more, unless it reaches beyond itself (`reachesBeyond`).
 */
export function gateRuleFor(path: string, isInBase: boolean, named: NamedFiles): GateRule | null {
  const rule = ruleOfName(path);
  if (rule !== null) return rule;
  if (named.isScript(path)) return "whole";
  if (!isInBase) return shadowsModule(path, named.importFolders) ? "whole" : null;
  return isTestFile(path) || named.isData(path) ? "whole" : null;
}

/** Set back in a run of its own: should it be what the gate proves after all, that run shows nothing, and the other does. */
export function isHelperOfGate(path: string, isInBase: boolean, named: NamedFiles): boolean {
  return isInBase && (named.isHelper(path) || isExpectation(path));
}
