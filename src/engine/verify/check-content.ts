import type { Sha } from "../../core/ids.ts";
import type { Patterns } from "../../ports/patterns.ts";
import type { DiffStart, Workspace } from "../../ports/workspace.ts";

const MAX_READ_BYTES = 1_000_000;

/**
 * The files of one commit, read from git: never from a work tree, where a command may have left anything, and never
 * through a link (T16).
 */
export type CommitContent = {
  /**
   * Files that a pattern of the plan names: seen from the stage's working folder, or else from the root; a folder's
   * name stands for all that is in it. Throws a UserError when the pattern is malformed.
   */
  readonly find: (pattern: string) => Promise<string[]>;
  /** null when the file is too large to look into. */
  readonly read: (path: string) => Promise<string | null>;
  /** The same of the base. */
  readonly readBase: (path: string) => Promise<string | null>;
  /** All files of the base. */
  readonly baseFiles: () => Promise<readonly string[]>;
  /** From the base to the commit. */
  readonly diff: (maxBytes: number) => Promise<DiffStart>;
  /** Paths that differ from the base. */
  readonly changed: () => Promise<ReadonlySet<string>>;
  /** Tells for any path whether a pattern of the plan names it. */
  readonly naming: (pattern: string) => (path: string) => boolean;
};

export function readContent(
  deps: { workspace: Workspace; patterns: Patterns },
  at: { commit: Sha; base: Sha; workingDir: string },
): CommitContent {
  const { workspace, patterns } = deps;
  let listing: Promise<string[]> | null = null;
  let changes: Promise<ReadonlySet<string>> | null = null;
  const list = () => {
    listing ??= workspace.listFiles(at.commit);
    return listing;
  };
  const scopes = at.workingDir === "." ? [""] : [`${at.workingDir}/`, ""];

  return {
    async find(pattern) {
      const files = await list();
      const matchers = matchersOf(patterns, pattern);
      for (const scope of scopes)
        for (const matches of matchers) {
          const found = files.filter((path) => path.startsWith(scope) && matches(path.slice(scope.length)));
          if (found.length > 0) return found;
        }
      return [];
    },
    read: (path) => workspace.readFile(at.commit, path, MAX_READ_BYTES),
    readBase: (path) => workspace.readFile(at.base, path, MAX_READ_BYTES),
    baseFiles: () => workspace.listFiles(at.base),
    diff: (maxBytes) => workspace.diffStart(at.base, at.commit, { maxBytes }),
    changed() {
      changes ??= workspace.changedFiles(at.base, at.commit).then((paths) => new Set(paths));
      return changes;
    },
    naming(pattern) {
      const matchers = matchersOf(patterns, pattern);
      return (path) =>
        scopes.some(
          (scope) => path.startsWith(scope) && matchers.some((matches) => matches(path.slice(scope.length))),
        );
    },
  };
}

/** The pattern itself, and what lies below a folder of that name. */
function matchersOf(patterns: Patterns, pattern: string): ((path: string) => boolean)[] {
  return [patterns.glob(pattern), patterns.glob(`${pattern.replace(/(?<!\/)\/+$/, "")}/**`)];
}
