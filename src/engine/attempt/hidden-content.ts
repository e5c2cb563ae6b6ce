import type { Sha } from "../../core/ids.ts";
import { isHiddenPath } from "../../core/plan/sandbox-rules.ts";
import type { Patterns } from "../../ports/patterns.ts";
import type { Workspace } from "../../ports/workspace.ts";
import { createMatches } from "../session/sandbox-at.ts";

/** Whether a file is hidden: by its path, or because it holds what a hidden file of the base holds. */
export type IsHidden = (path: string, id: Sha | undefined) => boolean;

// Of files without content, which are no secret: by SHA-1 and by SHA-256.
const EMPTY = new Set<Sha>([
  "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
  "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
]);

/**
 * What an agent must not be shown of commits on top of `base` (T39). A name alone says little: whoever can move a folder
 * gives all in it other names. Content that the base also has in a file that is not hidden is no secret.
 */
export async function hiddenIn(
  { patterns, workspace }: { readonly patterns: Patterns; readonly workspace: Pick<Workspace, "fileIds"> },
  hidden: readonly string[],
  base: Sha,
): Promise<IsHidden> {
  if (hidden.length === 0) return () => false;
  const matches = createMatches(patterns);
  const secret = new Set<Sha>();
  const open = new Set(EMPTY);
  for (const [path, id] of await workspace.fileIds(base))
    (isHiddenPath(path, hidden, matches) ? secret : open).add(id);
  return (path, id) =>
    isHiddenPath(path, hidden, matches) || (id !== undefined && secret.has(id) && !open.has(id));
}
