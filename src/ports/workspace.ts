import type { ChangeLimits } from "../core/config/change-limits.ts";
import type { Millis, Sha } from "../core/ids.ts";
import type { Links } from "../core/paths/links.ts";

/**
 * Git as the engine needs it: work trees lent for a while, commits made from their content, merges without a checkout.
 * Agents see the path of a tree and nothing else; no operation here runs a program that a repository names.
 */
export interface Workspace {
  /** A tree whose content is exactly `commit`, untracked and ignored files gone. Slots are reused. */
  open(commit: Sha): Promise<WorkTree>;
  /** The tree may be lent again. What it holds is of no interest any more. */
  close(tree: WorkTree): Promise<void>;
  /** A tree left over from a process that died, if it still stands; it counts as lent until closed. */
  reclaim(path: string): Promise<WorkTree | null>;
  /**
   * Sets every file of the commit that a lent tree was filled with back to what it is there, but for `except`; all else stays.
   * Resolves with those that were changed, or null when that can't be told.
   */
  restoreTracked(tree: WorkTree, except: ReadonlySet<string>): Promise<string[] | null>;
  /**
   * What a lent tree holds now. Of the files of its commit, only `laid` may differ. null: it holds what can't be looked at,
   * such as paths that are too long.
   */
  mark(tree: WorkTree, laid: ReadonlySet<string>): TreeMark | null;
  /** Undoes what programs changed since; `lost`: they changed what no commit holds, so the tree has to be made anew. */
  setBack(tree: WorkTree, mark: TreeMark): Promise<"set-back" | "lost">;
  /**
   * Makes a lent tree what `open` would. Folders of the names in `kept` stay, with all in them that is in the way of no
   * file of the commit.
   */
  reopen(tree: WorkTree, commit: Sha, kept?: ReadonlySet<string>): Promise<void>;
  /** Replaces the content of a lent tree, to lay work in progress or a conflict on top of its base. */
  fill(tree: WorkTree, content: Sha, kept?: ReadonlySet<string>): Promise<void>;
  /** Puts back what configures agents to what the base has, and removes what it has not (T8). Resolves with the paths. */
  restoreConfig(tree: WorkTree, base: Sha): Promise<string[]>;
  /** One commit from what the tree holds now, whatever the agent did with git. */
  commit(tree: WorkTree, spec: CommitSpec): Promise<CommitOutcome>;
  /** What `commit` would be on top of `onto`. Touches no work tree and no branch. */
  transplant(commit: Sha, onto: Sha): Promise<TransplantOutcome>;
  /**
   * One merge of all these commits, its first parent the first of them; the same commits give the same merge everywhere.
   * Those that others contain add nothing, and one that contains all others is the answer itself.
   */
  join(commits: readonly Sha[]): Promise<JoinOutcome>;
  /** A commit on top of a base with these files put in place. */
  commitFiles(spec: FilesSpec): Promise<Sha>;
  /** The newest commit that both contain; null when they share no history. */
  mergeBase(one: Sha, other: Sha): Promise<Sha | null>;
  /** Whether this commit is on this machine. */
  has(commit: Sha): Promise<boolean>;
  changedFiles(from: Sha, to: Sha): Promise<string[]>;
  /** Cut at `maxBytes`, the cut counted in the text. */
  diff(from: Sha, to: Sha, options: { maxBytes: number; paths?: readonly string[] }): Promise<string>;
  /** The same, cut behind a line and with nothing added. */
  diffStart(from: Sha, to: Sha, options: { maxBytes: number }): Promise<DiffStart>;
  /** Regular files of a commit; links and submodules are left out. */
  listFiles(commit: Sha): Promise<string[]>;
  /** The same with what git calls their content: files of one content have one id. */
  fileIds(commit: Sha): Promise<ReadonlyMap<string, Sha>>;
  /** Symbolic links of a commit, and what they say. */
  links(commit: Sha): Promise<Links>;
  /** What stands at a path of that commit; for callers to whom a file that is not read is not the same as none. */
  examineFile(commit: Sha, path: string, maxBytes: number): Promise<FileReading>;
  /** The text alone: null when it is not a regular file of that commit, or larger than `maxBytes`. */
  readFile(commit: Sha, path: string, maxBytes: number): Promise<string | null>;
  treeOf(commit: Sha): Promise<Sha>;
  isAncestor(ancestor: Sha, descendant: Sha): Promise<boolean>;
  /** Removes the work trees that are not lent and that nobody has used for so long. */
  removeUnused(forMs: Millis): Promise<void>;
  /** Removes every work tree of this workspace and what is known about them. */
  dispose(): Promise<void>;
}

export type DiffStart = {
  readonly text: string;
  /** How many bytes are missing, and how many files the whole diff has; null: nothing is missing. */
  readonly cut: { readonly bytes: number; readonly files: number } | null;
};

export type WorkTree = { readonly path: string };

export type TreeMark = {
  /** By path from the root, folders too: how the file looked. */
  readonly stamps: ReadonlyMap<string, string>;
  /** Files that were not as the commit has them. */
  readonly laid: ReadonlySet<string>;
};

export type CommitSpec = {
  /** The one parent. */
  readonly base: Sha;
  readonly message: string;
  /** Repository paths that may not differ from the base besides the built-in protected ones, such as the plan itself. */
  readonly protect: readonly string[];
  /**
   * `refuse` reports what must not be published and makes no commit; `strip` puts those paths back to the base, to
   * keep work in progress.
   */
  readonly onForbidden: "refuse" | "strip";
  /** Changed files that stay as the base has them, and are no finding; an id as `fileIds` has it, none for one that is gone. */
  readonly leaveOut?: (path: string, id: Sha | undefined) => boolean;
  /** How large the whole change may be; the usual limits when not given. Of a larger one nothing is kept. */
  readonly limits?: ChangeLimits;
  /** Make a commit even when the content equals the base. */
  readonly allowEmpty: boolean;
  /** Files of a conflict that was to be resolved: one that still holds conflict markers is a finding. */
  readonly resolving?: readonly string[];
};

export type CommitOutcome =
  | { readonly kind: "committed"; readonly commit: Sha; readonly files: readonly string[] }
  | { readonly kind: "unchanged" }
  | { readonly kind: "refused"; readonly findings: readonly ImportFinding[] };

/** Why a path can't come out of an agent's tree. */
export type ImportFinding = {
  readonly path: string;
  readonly rule:
    | "protected-path"
    | "escaping-link"
    | "submodule"
    | "oversized"
    | "change-too-large"
    | "embedded-repository"
    | "conflict-markers"
    | "secret"
    | "bad-name";
  readonly message: string;
};

export type TransplantOutcome =
  /** `commit` is the given one when it already stands on `onto`. */
  | { readonly kind: "clean"; readonly commit: Sha }
  /** `content` is a commit on `onto` whose files carry the conflict markers. */
  | { readonly kind: "conflict"; readonly files: readonly string[]; readonly content: Sha };

export type JoinOutcome =
  | { readonly kind: "joined"; readonly commit: Sha }
  | { readonly kind: "conflict"; readonly files: readonly string[] };

export type FilesSpec = {
  readonly base: Sha;
  /** Text by repository path. A file that is there keeps its mode. */
  readonly files: Readonly<Record<string, string>>;
  /** Repository paths of files; one that is not there is as wanted already. */
  readonly remove?: readonly string[];
  /** Paths that become what they are in another commit, whatever stands in their way; gone where it has none. */
  readonly restore?: { readonly from: Sha; readonly paths: readonly string[] };
  readonly message: string;
};

export type FileReading =
  | { readonly kind: "text"; readonly text: string }
  /** `not-plain`: a link, a submodule or a folder. */
  | { readonly kind: "absent" | "not-plain" | "too-large" };
