import type { Sha } from "../../../core/ids.ts";
import type { RepositoryGit } from "../../../ports/git.ts";

export type TreeMerge = {
  readonly tree: Sha;
  readonly isClean: boolean;
  readonly conflicts: readonly string[];
};

/** Merges two commits without a work tree. The tree of a conflict holds files with conflict markers. */
export async function mergeTrees(git: RepositoryGit, ours: Sha, theirs: Sha): Promise<TreeMerge> {
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
