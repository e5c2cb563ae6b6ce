import { InternalError } from "../../../core/errors.ts";
import { isSha, type Sha } from "../../../core/ids.ts";
import type { FileChange, RepositoryGit } from "../../../ports/git.ts";
import type { DiffStart, FileReading } from "../../../ports/workspace.ts";
import { readDiff, readDiffStart } from "../commit/read-diff.ts";
import { compareTrees } from "../merge/compare-trees.ts";
import { GitFailure } from "../run/git-failure.ts";
import { type CommitFacts, parseCommit } from "./commit-facts.ts";
import {
  applyChanges,
  isRegularFile,
  parseListing,
  type TreeEntry,
  type TreeListing,
} from "./tree-listing.ts";
import { isTree, nameBytes, shownMode, TREE } from "./tree-object.ts";
import { createTreeStore, type TreeStore } from "./tree-store.ts";

/**
 * Reads commits, trees and files from the object store, never from a disk that an agent can write to, and never through
 * a link. Objects don't change, so what was read or made here is remembered; a git process costs some 4 ms.
 */
export type ObjectReader = {
  readonly trees: TreeStore;
  commit(sha: Sha): Promise<CommitFacts>;
  /** Of a commit, or the tree itself. */
  treeOf(sha: Sha): Promise<Sha>;
  listing(commit: Sha): Promise<TreeListing>;
  changes(from: Sha, to: Sha): Promise<FileChange[]>;
  blob(sha: Sha): Promise<string>;
  examineFile(commit: Sha, path: string, maxBytes: number): Promise<FileReading>;
  readFile(commit: Sha, path: string, maxBytes: number): Promise<string | null>;
  diff(from: Sha, to: Sha, options: { maxBytes: number; paths?: readonly string[] }): Promise<string>;
  diffStart(from: Sha, to: Sha, options: { maxBytes: number }): Promise<DiffStart>;
  isAncestor(ancestor: Sha, descendant: Sha): Promise<boolean>;
  mergeBase(one: Sha, other: Sha): Promise<Sha | null>;
  has(commit: Sha): Promise<boolean>;
  /** Tells the reader about a commit that was just made, and how it differs from its parent. */
  learn(sha: Sha, facts: CommitFacts, changes: readonly FileChange[]): void;
};

const COMMITS_KEPT = 2_000;
const CHANGES_KEPT = 200;
const LISTINGS_KEPT = 6;

export function createObjectReader(git: RepositoryGit): ObjectReader {
  const commits = new Map<Sha, CommitFacts>();
  const listings = new Map<Sha, TreeListing>();
  const trees = createTreeStore(git);
  /** How commits made here differ from their only parent. */
  const madeChanges = new Map<Sha, readonly FileChange[]>();

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
    const read = await readListing(checkedSha(sha));
    remember(listings, sha, read, LISTINGS_KEPT);
    return read;
  }

  /** From one that is known, most often, by the folders in which the two differ; all at once is a matter for git. */
  async function readListing(sha: Sha): Promise<TreeListing> {
    const nearest = [...listings].at(-1);
    if (nearest && (await git.objects.look(sha)) !== null) {
      const [known, files] = nearest;
      const differences = await compareTrees(trees, await treeOf(known), await treeOf(sha));
      return applyChanges(files, differences);
    }
    const { stdout } = await git.trusted({
      command: "ls-tree",
      options: ["-r", "-z", "--full-tree"],
      values: [sha],
    });
    return parseListing(stdout);
  }

  async function treeOf(sha: Sha): Promise<Sha> {
    const known = commits.get(checkedSha(sha));
    if (known) return known.tree;
    const found = await git.objects.look(sha);
    return found?.type === "tree" ? sha : (await commit(sha)).tree;
  }

  async function textOf(sha: Sha, type: "blob" | "commit"): Promise<string> {
    const found = await git.objects.read(checkedSha(sha));
    if (found?.type !== type)
      throw new GitFailure("cat-file", 128, `${sha} is ${found?.type ?? "not there"}`);
    return found.content.toString("utf8");
  }
  const blob = (sha: Sha): Promise<string> => textOf(sha, "blob");

  /** Folder by folder: a single file is no reason to list all others. */
  async function findEntry(sha: Sha, path: string): Promise<TreeEntry | null> {
    let entry: TreeEntry = { mode: TREE, sha: await treeOf(sha) };
    for (const name of path.split("/")) {
      if (!isTree(entry)) return null;
      const found = (await trees.read(entry.sha)).findLast((node) => node.name === nameBytes(name));
      if (!found) return null;
      entry = { mode: shownMode(found.mode), sha: found.sha };
    }
    return entry;
  }

  async function examineFile(sha: Sha, path: string, maxBytes: number): Promise<FileReading> {
    const entry = await findEntry(sha, path);
    if (!entry) return { kind: "absent" };
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
    trees,
    commit,
    treeOf,
    listing,
    async changes(from, to) {
      if (from === to) return [];
      const made = commits.get(to)?.parents[0] === from ? madeChanges.get(to) : undefined;
      if (made) return [...made];
      return compareTrees(trees, await treeOf(from), await treeOf(to));
    },
    blob,
    examineFile,
    async readFile(sha, path, maxBytes) {
      const file = await examineFile(sha, path, maxBytes);
      return file.kind === "text" ? file.text : null;
    },
    diff: async (from, to, options) => readDiff(git, await treeOf(from), await treeOf(to), options),
    diffStart: async (from, to, options) => readDiffStart(git, await treeOf(from), await treeOf(to), options),
    async isAncestor(ancestor, descendant) {
      if (isKnownAncestor(checkedSha(ancestor), checkedSha(descendant))) return true;
      return git.history.isAncestor(ancestor, descendant);
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
