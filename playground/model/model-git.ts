import type { MergeMethod } from "./types.ts";

/**
 * All that the model asks of git. Every call names a bare repository by its absolute path; nothing here needs a work
 * tree. Branches are named without `refs/heads/`, refs with their full name. A revision is a sha, a branch, a tag or a
 * full ref; an implementation must never let it be read as an option.
 */
export type ModelGit = {
  /** Makes an empty bare repository whose HEAD is the given branch. Does nothing when it is there already. */
  createBare(gitDir: string, defaultBranch: string): Promise<void>;

  /** The commit a revision names (tags peeled), or null when there is none. Accepts short shas. */
  resolve(gitDir: string, revision: string): Promise<string | null>;
  /** The tip of a branch, or null. Only a branch: a tag or sha of that name does not count. */
  tip(gitDir: string, branch: string): Promise<string | null>;
  /** Refs below a prefix such as `refs/heads/loom/`, sorted by name. The prefix may end inside a name. */
  refs(gitDir: string, prefix: string): Promise<{ readonly ref: string; readonly sha: string }[]>;
  /**
   * Compare and swap. `expected: null` means that the ref must not exist; `undefined` does not look. `next: null`
   * deletes. False when the ref was not as expected (then nothing changed).
   */
  updateRef(
    gitDir: string,
    ref: string,
    next: string | null,
    expected?: string | null | undefined,
  ): Promise<boolean>;

  isAncestor(gitDir: string, ancestor: string, descendant: string): Promise<boolean>;
  mergeBase(gitDir: string, one: string, other: string): Promise<string | null>;
  commit(gitDir: string, sha: string): Promise<GitCommit | null>;
  /** Newest first, all that `to` has and `from` (when given) has not; `path` keeps those that touch it. */
  commits(
    gitDir: string,
    range: { readonly from?: string; readonly to: string; readonly path?: string; readonly limit?: number },
  ): Promise<readonly GitCommit[]>;

  /** What differs from one tree to another, renames found. `from: null` is the empty tree. */
  changedFiles(gitDir: string, from: string | null, to: string): Promise<readonly GitChangedFile[]>;
  /** The same as one unified diff with `a/` and `b/` prefixes. */
  diff(gitDir: string, from: string | null, to: string): Promise<string>;

  /** Would merging `head` into `base` conflict? Both are commits of this repository. Moves nothing. */
  conflicts(gitDir: string, base: string, head: string): Promise<boolean>;
  /**
   * Makes the commit(s) that merging `head` into `base` would make and returns the last one; moves no ref.
   * merge: a commit with two parents, even when it could fast-forward. squash: one commit on base with the merged
   * tree. rebase: the commits of base..head replayed on base with their own authors and messages (merge commits left
   * out), always new commits, as GitHub does.
   */
  merge(gitDir: string, work: GitMerge): Promise<{ kind: "merged"; sha: string } | { kind: "conflict" }>;

  /** Writes (or with null deletes) files on top of `parent` and returns the new commit; moves no ref. */
  commitFiles(
    gitDir: string,
    work: {
      /** null: a first commit. */
      readonly parent: string | null;
      readonly files: Readonly<Record<string, string | Uint8Array | null>>;
      readonly message: string;
      readonly author: GitPerson;
    },
  ): Promise<string>;

  /** What stands at a path of a revision: `""` is the top folder. null when nothing does. */
  entry(gitDir: string, revision: string, path: string): Promise<GitEntry | null>;
  /** Bytes of a blob, or null. */
  blob(gitDir: string, sha: string): Promise<Uint8Array | null>;

  /** Brings a commit with its history over from another bare repository (a fork) without making a ref. */
  fetchFrom(gitDir: string, otherGitDir: string, sha: string): Promise<void>;
};

export type GitPerson = {
  readonly name: string;
  readonly email: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
};

export type GitCommit = {
  readonly sha: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: GitPerson;
  readonly committer: GitPerson;
  /** Whole message without the last newline. */
  readonly message: string;
};

export type GitChangedFile = {
  readonly path: string;
  readonly previousPath: string | null;
  readonly status: "added" | "removed" | "modified" | "renamed";
  readonly additions: number;
  readonly deletions: number;
  /** Blob after the change; of the removed file when it was removed. */
  readonly sha: string;
  /** The hunks from the first `@@` on; null for binary files, and for those too large to be shown. */
  readonly patch: string | null;
};

export type GitMerge = {
  readonly method: MergeMethod;
  readonly base: string;
  readonly head: string;
  /** Whole commit message; not used by rebase. */
  readonly message: string;
  /** Author of the merge or squash commit; committer of all. */
  readonly author: GitPerson;
};

export type GitEntry =
  | {
      readonly kind: "file" | "symlink";
      readonly path: string;
      readonly sha: string;
      readonly size: number;
      readonly mode: string;
    }
  | { readonly kind: "submodule"; readonly path: string; readonly sha: string }
  | {
      readonly kind: "folder";
      readonly path: string;
      readonly sha: string;
      /** One level deep. */
      readonly entries: readonly {
        readonly kind: "file" | "symlink" | "submodule" | "folder";
        readonly name: string;
        readonly path: string;
        readonly sha: string;
        readonly mode: string;
        /** 0 unless it is a file or a symlink. */
        readonly size: number;
      }[];
    };
