import { InternalError } from "../../core/errors.ts";
import { isSha, type Sha } from "../../core/ids.ts";
import type { RepositoryGit } from "../../ports/git.ts";
import type { DiffStart, FileReading } from "../../ports/workspace.ts";
import { type CommitFacts, parseCommit } from "./commit-facts.ts";
import { GitFailure } from "./git-failure.ts";
import { parseRawChanges, type RawChange } from "./raw-changes.ts";
import { readDiff, readDiffStart } from "./read-diff.ts";
import { applyChanges, isRegularFile, parseListing, type TreeListing } from "./tree-listing.ts";

/**
 * Reads commits, trees and files from the object store, never from a disk that an agent can write to, and never through
 * a link. Objects don't change, so what was read or made here is remembered; a git process costs some 4 ms.
 */
export type ObjectReader = {
  commit(sha: Sha): Promise<CommitFacts>;
  listing(commit: Sha): Promise<TreeListing>;
  changes(from: Sha, to: Sha): Promise<RawChange[]>;
  blob(sha: Sha): Promise<string>;
  examineFile(commit: Sha, path: string, maxBytes: number): Promise<FileReading>;
  readFile(commit: Sha, path: string, maxBytes: number): Promise<string | null>;
  diff(from: Sha, to: Sha, options: { maxBytes: number; paths?: readonly string[] }): Promise<string>;
  diffStart(from: Sha, to: Sha, options: { maxBytes: number }): Promise<DiffStart>;
  isAncestor(ancestor: Sha, descendant: Sha): Promise<boolean>;
  mergeBase(one: Sha, other: Sha): Promise<Sha | null>;
  has(commit: Sha): Promise<boolean>;
  /** Tells the reader about a commit that was just made, and how it differs from its parent. */
  learn(sha: Sha, facts: CommitFacts, changes: readonly RawChange[]): void;
};

const COMMITS_KEPT = 2_000;
const CHANGES_KEPT = 200;
const LISTINGS_KEPT = 6;

export function createObjectReader(git: RepositoryGit): ObjectReader {
  const commits = new Map<Sha, CommitFacts>();
  const listings = new Map<Sha, TreeListing>();
  /** How commits made here differ from their only parent. */
  const madeChanges = new Map<Sha, readonly RawChange[]>();

  async function commit(sha: Sha): Promise<CommitFacts> {
    const known = commits.get(sha);
    if (known) return known;
    const facts = parseCommit(await textOf(sha, "commit"));
    remember(commits, sha, facts, COMMITS_KEPT);
    return facts;
  }

  async function listing(sha: Sha): Promise<TreeListing> {
    const known = listings.get(sha);
    if (known) {
      remember(listings, sha, known, LISTINGS_KEPT);
      return known;
    }
    const { stdout } = await git.trusted({
      command: "ls-tree",
      options: ["-r", "-z", "--full-tree"],
      values: [checkedSha(sha)],
    });
    const read = parseListing(stdout);
    remember(listings, sha, read, LISTINGS_KEPT);
    return read;
  }

  async function textOf(sha: Sha, type: "blob" | "commit"): Promise<string> {
    const found = await git.objects.read(checkedSha(sha));
    if (found?.type !== type)
      throw new GitFailure("cat-file", 128, `${sha} is ${found?.type ?? "not there"}`);
    return found.content.toString("utf8");
  }
  const blob = (sha: Sha): Promise<string> => textOf(sha, "blob");

  async function examineFile(sha: Sha, path: string, maxBytes: number): Promise<FileReading> {
    const files = await listing(sha);
    const entry = files.get(path);
    if (!entry) return { kind: isFolder(files, path) ? "not-plain" : "absent" };
    if (!isRegularFile(entry.mode)) return { kind: "not-plain" };
    const found = await git.objects.look(entry.sha);
    return found && found.size > maxBytes
      ? { kind: "too-large" }
      : { kind: "text", text: await blob(entry.sha) };
  }

  /** Follows first parents through what is known; says nothing about the rest. */
  function isKnownAncestor(ancestor: Sha, descendant: Sha): boolean {
    for (let at: Sha | undefined = descendant; at !== undefined; at = commits.get(at)?.parents[0]) {
      if (at === ancestor) return true;
    }
    return false;
  }

  return {
    commit,
    listing,
    async changes(from, to) {
      if (from === to) return [];
      const made = commits.get(to)?.parents[0] === from ? madeChanges.get(to) : undefined;
      if (made) return [...made];
      const { stdout } = await git.trusted({
        command: "diff-tree",
        options: ["-r", "--raw", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-commit-id"],
        values: [checkedSha(from), checkedSha(to)],
      });
      return parseRawChanges(stdout);
    },
    blob,
    examineFile,
    async readFile(sha, path, maxBytes) {
      const file = await examineFile(sha, path, maxBytes);
      return file.kind === "text" ? file.text : null;
    },
    diff: (from, to, options) => readDiff(git, checkedSha(from), checkedSha(to), options),
    diffStart: (from, to, options) => readDiffStart(git, checkedSha(from), checkedSha(to), options),
    async isAncestor(ancestor, descendant) {
      if (isKnownAncestor(checkedSha(ancestor), checkedSha(descendant))) return true;
      const { code, stderr } = await git.trusted({
        command: "merge-base",
        options: ["--is-ancestor"],
        values: [ancestor, descendant],
        answers: [1, 128],
      });
      // A commit that is gone altogether is in nobody's history.
      if (code === 128 && !stderr.includes("Not a valid commit name")) throw new Error(stderr.trim());
      return code === 0;
    },
    async mergeBase(one, other) {
      const { code, stdout } = await git.trusted({
        command: "merge-base",
        values: [checkedSha(one), checkedSha(other)],
        answers: [1],
      });
      return code === 0 ? stdout.trim() : null;
    },
    async has(sha) {
      // Whatever was read before, the object may be gone with the store it was in.
      return (await git.objects.look(checkedSha(sha)))?.type === "commit";
    },
    learn(sha, facts, changes) {
      remember(commits, sha, facts, COMMITS_KEPT);
      remember(madeChanges, sha, changes, CHANGES_KEPT);
      const base = listings.get(facts.parents[0] ?? "");
      if (base) remember(listings, sha, applyChanges(base, changes), LISTINGS_KEPT);
    },
  };
}

function isFolder(files: TreeListing, path: string): boolean {
  return [...files.keys()].some((one) => one.startsWith(`${path}/`));
}

function remember<V>(cache: Map<string, V>, key: string, value: V, limit: number): void {
  cache.delete(key);
  cache.set(key, value);
  const oldest = cache.keys().next();
  if (cache.size > limit && !oldest.done) cache.delete(oldest.value);
}

export function checkedSha(sha: Sha): Sha {
  if (!isSha(sha)) throw new InternalError(`${JSON.stringify(sha)} is not an object name`);
  return sha;
}
