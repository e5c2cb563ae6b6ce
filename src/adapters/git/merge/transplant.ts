import { InternalError } from "../../../core/errors.ts";
import type { Sha } from "../../../core/ids.ts";
import { isProtectedPath } from "../../../core/paths/protected-paths.ts";
import type { TransplantOutcome } from "../../../ports/workspace.ts";
import type { CommitTools } from "../commit/commit-work.ts";
import { writeCommit } from "../objects/commit-facts.ts";
import type { ObjectReader } from "../objects/object-reader.ts";
import { inspectSettings } from "../run/inspect-settings.ts";
import { mergeDisjoint } from "./merge-disjoint.ts";
import { mergeTrees, type TreeMerge } from "./merge-trees.ts";

/**
 * Puts a commit on another base by a three-way merge whose base is the commit's own parent. No work tree, no index and
 * no branch is touched.
 *
 * `merge-tree` finds the base of a merge by itself, and 2.39 can't be told another. It finds the right one whenever the
 * parent is in the history of `onto`. When it is not (the target was rewound, or a parent was squashed), `onto`'s tree
 * is wrapped in a commit on that parent, and the two have exactly the wanted base.
 */
export async function transplant(tools: CommitTools, commit: Sha, onto: Sha): Promise<TransplantOutcome> {
  const { git, reader, identity } = tools;
  const facts = await reader.commit(commit);
  const [parent, ...others] = facts.parents;
  if (parent === undefined || others.length > 0) {
    throw new InternalError(`commit ${commit} has ${facts.parents.length} parents; exactly one is needed`);
  }
  if (parent === onto) return { kind: "clean", commit };

  const merge =
    (await mergeApart(reader, parent, onto, commit)) ?? (await mergeWithGit(tools, parent, onto, commit));
  const result = { ...facts, tree: merge.tree, parents: [onto] };
  const moved = writeCommit(git, result, identity);
  const changes = await reader.changes(onto, merge.tree);
  reader.learn(moved, result, changes);

  // A file that was renamed on the other side takes the change along, perhaps to where no agent may write.
  const misplaced = changes.map(({ path }) => path).filter((path) => isProtectedPath(path));
  const settings = (await inspectSettings(reader, onto, changes)).map(({ path }) => path);
  const files = [...new Set([...merge.conflicts, ...misplaced, ...settings])];
  return merge.isClean && files.length === 0
    ? { kind: "clean", commit: moved }
    : { kind: "conflict", files, content: moved };
}

/** The usual case: the two sides changed different files. */
async function mergeApart(
  reader: ObjectReader,
  parent: Sha,
  onto: Sha,
  commit: Sha,
): Promise<TreeMerge | null> {
  const [base, ours, theirs] = [
    await reader.treeOf(parent),
    await reader.treeOf(onto),
    await reader.treeOf(commit),
  ];
  const tree = await mergeDisjoint(reader.trees, base, ours, theirs);
  return tree === null ? null : { tree, isClean: true, conflicts: [] };
}

async function mergeWithGit(tools: CommitTools, parent: Sha, onto: Sha, commit: Sha): Promise<TreeMerge> {
  const isContained = await tools.reader.isAncestor(parent, onto);
  return mergeTrees(tools.git, isContained ? onto : await wrap(tools, onto, parent), commit);
}

async function wrap({ git, reader, identity }: CommitTools, onto: Sha, parent: Sha): Promise<Sha> {
  const { tree } = await reader.commit(onto);
  return writeCommit(git, { tree, parents: [parent], author: identity, message: "Merge base" }, identity);
}
