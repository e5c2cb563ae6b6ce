import { InternalError } from "../../core/errors.ts";
import type { Sha } from "../../core/ids.ts";
import { isProtectedPath } from "../../core/merge/protected-paths.ts";
import type { TransplantOutcome } from "../../ports/workspace.ts";
import { writeCommit } from "./commit-facts.ts";
import type { CommitTools } from "./commit-work.ts";

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

  const isContained = await reader.isAncestor(parent, onto);
  const ours = isContained ? onto : await wrap(tools, onto, parent);
  const merge = await mergeTrees(tools, ours, commit);
  const result = { ...facts, tree: merge.tree, parents: [onto] };
  const [moved, changes] = await Promise.all([
    writeCommit(git, result, identity),
    reader.changes(onto, merge.tree),
  ]);
  reader.learn(moved, result, changes);

  // A file that was renamed on the other side takes the change along, perhaps to where no agent may write.
  const misplaced = changes.map(({ path }) => path).filter((path) => isProtectedPath(path));
  const files = [...new Set([...merge.conflicts, ...misplaced])];
  return merge.isClean && files.length === 0
    ? { kind: "clean", commit: moved }
    : { kind: "conflict", files, content: moved };
}

async function wrap({ git, reader, identity }: CommitTools, onto: Sha, parent: Sha): Promise<Sha> {
  const { tree } = await reader.commit(onto);
  return writeCommit(git, { tree, parents: [parent], author: identity, message: "Merge base" }, identity);
}

type TreeMerge = { readonly tree: Sha; readonly isClean: boolean; readonly conflicts: readonly string[] };

async function mergeTrees({ git }: CommitTools, ours: Sha, theirs: Sha): Promise<TreeMerge> {
  const { code, stdout } = await git.trusted({
    command: "merge-tree",
    options: ["--write-tree", "-z", "--name-only", "--messages"],
    values: [ours, theirs],
    answers: [1],
  });
  // The tree, the paths in conflict, an empty field, and messages: a count, that many paths, a kind, a text.
  const fields = stdout.split("\0");
  const end = fields.indexOf("", 1);
  const named = fields.slice(1, end);
  const conflicts = named.length > 0 ? named : pathsInMessages(fields.slice(end + 1));
  return { tree: fields[0] ?? "", isClean: code === 0, conflicts: code === 0 ? [] : conflicts };
}

/** Some conflicts leave no path half merged, such as two renames of one folder; only the messages name them. */
function pathsInMessages(fields: readonly string[]): string[] {
  const paths: string[] = [];
  let at = 0;
  while (at < fields.length) {
    const count = Number(fields[at]);
    if (!Number.isInteger(count) || fields[at] === "") break;
    const kind = fields[at + 1 + count] ?? "";
    if (kind.startsWith("CONFLICT")) paths.push(...fields.slice(at + 1, at + 1 + count));
    at += count + 3;
  }
  return paths;
}
