import type { Setting } from "../core/config/git-settings.ts";
import type { Sha } from "../core/ids.ts";

/**
 * Git as a program. The one implementation checks every argument and takes away whatever a repository, a person's
 * settings or the environment could make git run (T11, T12); adapters that need git get it passed in.
 */
export interface Git {
  /** Throws when git ends with a code that is neither 0 nor among the call's `answers`. */
  run(place: GitPlace, call: GitCall): Promise<GitAnswer>;
  /** The objects that a place sees; what is asked there again and again is asked of one process. */
  objects(place: GitPlace): GitObjects;
  /** Diffs of trees there, likewise. */
  diffs(place: GitPlace): GitDiffs;
}

/** Whatever a repository or a person has set up for diffs is left out. */
export interface GitDiffs {
  /**
   * Hands over the diff of two trees as git prints it. `reading`: as people know it, with renames. `scanning`: all that was
   * added or removed and nothing around it, binary files too.
   */
  show(kind: DiffKind, from: Sha, to: Sha, take: (chunk: Buffer) => void): Promise<void>;
  /** Leaves no process behind; asking again is no mistake. */
  close(): Promise<void>;
}

export type DiffKind = "reading" | "scanning";

/** Objects by their whole names, which never change. null: there is none. */
export interface GitObjects {
  look(name: Sha): Promise<GitObjectInfo | null>;
  read(name: Sha): Promise<GitObject | null>;
  /** Leaves no process behind; asking again is no mistake. */
  close(): Promise<void>;
}

export type GitObjectInfo = { readonly type: string; readonly size: number };
export type GitObject = GitObjectInfo & { readonly content: Buffer };

/** Which repository a call sees. Nothing is inherited from the environment. */
export type GitPlace = {
  readonly cwd: string;
  /** Absent only to find out whether `cwd` is in a repository at all. */
  readonly gitDir?: string;
  readonly workTree?: string;
  readonly index?: string;
  readonly objects?: string;
  readonly shallowFile?: string;
  /**
   * `own`: the git directory is Loom's, and so is every setting in it. `none`: it is the person's, and nothing else of
   * theirs counts. `user`: all their settings count, but for those in `overrides`. Hooks and the file system monitor are
   * off in each.
   */
  readonly settings: "own" | "none" | "user";
  /** Settings that count more than those in files. */
  readonly overrides?: readonly (readonly [key: string, value: string])[];
  /** Lets this call, and no other, talk to one address: `ls-remote`, `fetch` and `push`, in a git directory of Loom's. */
  readonly network?: NetworkAccess;
};

/** `url` without credentials; `token` goes into the environment of one process and is written nowhere (T13). */
export type NetworkAccess = { readonly url: string; readonly token: string };

export type GitCall = {
  readonly command: string;
  /** Written by Loom's own code. A pair is an option with its value, and the value is checked like `values`. */
  readonly options?: readonly (string | readonly [option: string, value: string])[];
  /** Object names, refs, folders: refused when git could read one as an option. */
  readonly values?: readonly string[];
  /** Behind `--` and taken literally, whatever they look like. */
  readonly paths?: readonly string[];
  /** Standard input. */
  readonly input?: string;
  /** Of output in entries that end with NUL: git is ended once it has printed more than these. */
  readonly stopAfter?: number;
  /** Exit codes besides 0 that answer the question. */
  readonly answers?: readonly number[];
  readonly author?: Signature;
  readonly committer?: Signature;
};

export type GitAnswer = {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** There was more than `stopAfter`, and the last entry may be torn. */
  readonly cut?: boolean;
};

export type Identity = { readonly name: string; readonly email: string };
/** `date` in git's own form, such as `1700000000 +0100`; now when absent. */
export type Signature = Identity & { readonly date?: string };

/** A person's repository, as it was when Loom looked. */
export type Repository = {
  /** Top of the checkout Loom was started in; null in a bare repository. */
  readonly root: string | null;
  /** Of that checkout; differs from `commonDir` in a linked work tree. */
  readonly gitDir: string;
  readonly commonDir: string;
  readonly objectsDir: string;
  /** null when HEAD is detached. */
  readonly currentBranch: string | null;
  /** null before the first commit. */
  readonly headSha: Sha | null;
  readonly objectFormat: "sha1" | "sha256";
  readonly refFormat: "files" | "reftable";
  /** Which refs get a log when they are made: branches, every ref, or none. */
  readonly refLog: "branches" | "all" | "none";
  /** Git gives its files other rights than a program would, since several people write there. */
  readonly shared: boolean;
  readonly shallow: boolean;
  /** Who the person says they are; null when git does not know. */
  readonly identity: Identity | null;
  /** Settings that shape files on disk, such as `core.autocrlf`, checked; Loom's own git directory gets the same. */
  readonly fileSettings: Readonly<Record<string, string>>;
  /** Lists of what the person never wants in git, weakest first; those that don't exist are harmless. */
  readonly ignoreFiles: readonly string[];
};

/** A renamed file is one that is gone, and one that is new. */
export type FileChange = {
  readonly path: string;
  /** null: the path is gone. */
  readonly mode: string | null;
  readonly sha: Sha;
  /** null: the path is new. */
  readonly oldMode: string | null;
  readonly oldSha: Sha;
};

export type CommitNote = {
  readonly commit: Sha;
  readonly parents: readonly Sha[];
  readonly committer: string;
  readonly message: string;
  /** What its trailers `Loom-Run` and `Loom-Stage` name. */
  readonly runs: readonly string[];
  readonly stages: readonly string[];
};

export interface GitHistory {
  note(commit: Sha): Promise<CommitNote>;
  /** What `to` has and `from` has not, newest first; `first-parent`: of that, the line of `to` alone. */
  notes(from: Sha, to: Sha, how: "first-parent" | "all"): Promise<readonly CommitNote[]>;
  /** A commit that is not there is nobody's ancestor. */
  isAncestor(ancestor: Sha, descendant: Sha): Promise<boolean>;
}

export type RefMove = {
  readonly ref: string;
  readonly to: Sha;
  /** null: it must not be there yet. Absent: wherever it is. */
  readonly from?: Sha | null;
};

/** What the logs of refs say. */
export type RefReason = { readonly message: string; readonly by: Signature };

/** One of the person's checkouts. */
export type CheckoutPlace = { readonly gitDir: string; readonly workTree: string };

/** The three ways Loom looks at one repository. */
export interface RepositoryGit {
  readonly repository: Repository;
  /**
   * In a git directory of Loom's own, which shares the person's objects and nothing else: no setting that an agent could
   * have written counts here.
   */
  trusted(call: GitCall, on?: { workTree?: string; index?: string }): Promise<GitAnswer>;
  /** What there is in the object store, as `trusted` sees it. */
  readonly objects: GitObjects;
  /** Which files differ between two commits. */
  changes(from: Sha, to: Sha): Promise<readonly FileChange[]>;
  /** Diffs of trees in that store. */
  readonly diffs: GitDiffs;
  /** How commits in that store hang together. */
  readonly history: GitHistory;
  /** Writes an object into that store, without a process. Whoever writes what it names has to see to it that this is there. */
  store(type: "blob" | "commit" | "tree", content: Buffer): Sha;
  /** A commit without a parent, with these files at its top, likewise; large files keep nobody waiting. */
  storeCommit(
    files: Readonly<Record<string, string>>,
    what: { message: string; by: Signature },
  ): Promise<Sha>;
  /** In the person's git directory, for what only lives there: refs and the list of work trees. */
  refs(call: GitCall, gitDir?: string): Promise<GitAnswer>;
  /** Moves all of them as `refs` would, without a process. False: git has to do it, or say why not. */
  moveRefs(moves: readonly RefMove[], reason: RefReason, gitDir?: string): boolean;
  /**
   * In one of the person's checkouts with their settings, so that it looks as if they had done it themselves. Programs
   * that agents could have a hand in are not started: where git needs one, this throws `RefusedSetting`.
   */
  checkout(call: GitCall, at: CheckoutPlace & { readonly index?: string }): Promise<GitAnswer>;
  /** All settings that count in a checkout, read anew. */
  settings(at: CheckoutPlace): Promise<readonly Setting[]>;
  /** Filters that are not run in a checkout, each with its command. */
  refusedFilters(at: CheckoutPlace): Promise<ReadonlyMap<string, string>>;
  /** A fresh folder for files of one operation; the caller removes it. */
  scratch(): Promise<string>;
}
