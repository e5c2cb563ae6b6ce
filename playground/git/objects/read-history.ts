import type { GitCommit } from "../../model/model-git.ts";
import { type GitObject, objectsOf } from "./object-reader.ts";

/** Walks through commits in this process: whole shas only, for which the answer can be found without git's own rules. */

const FULL_SHA = /^[0-9a-f]{40}$/;
const PERSON = /^(.*?) ?<([^<>]*)> (\d+) [+-]\d{4}$/;

export const isFullSha = (name: string): boolean => FULL_SHA.test(name);

/** null: there is no such commit. */
export async function readHistoryCommit(gitDir: string, sha: string): Promise<GitCommit | null> {
  const known = knownCommit(gitDir, sha);
  if (known) return known;
  const objects = objectsOf(gitDir);
  const found = await objects.read(sha);
  if (found?.type !== "commit") return null;
  const commit = parseCommit(found);
  objects.parsed.set(sha, commit);
  return commit;
}

/** At once: a walk through thousands of commits that waits for each takes ten times as long. */
function knownCommit(gitDir: string, sha: string): GitCommit | undefined {
  return objectsOf(gitDir).parsed.get(sha) as GitCommit | undefined;
}

function parseCommit({ sha, bytes }: GitObject): GitCommit {
  const text = bytes.toString("utf8");
  const end = text.indexOf("\n\n");
  const head = end < 0 ? text : text.slice(0, end);
  const fields = (name: string): string[] =>
    head.split("\n").flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : []));
  return {
    sha,
    tree: fields("tree")[0] ?? "",
    parents: fields("parent"),
    author: personOf(fields("author")[0]),
    committer: personOf(fields("committer")[0]),
    message: (end < 0 ? "" : text.slice(end + 2)).replace(/(?<!\n)\n+$/, ""),
  };
}

/** Nobody in particular, as for git, when the line can't be read. */
function personOf(line = ""): GitCommit["author"] {
  const [, name = "", email = "", at = "0"] = PERSON.exec(line) ?? [];
  return { name, email, at: Number(at) * 1000 };
}

/** Everything that can be reached from commits, they included; nothing below those that are known to be reached. */
export async function reachable(
  gitDir: string,
  from: readonly string[],
  known: ReadonlySet<string> = new Set(),
): Promise<Set<string>> {
  const found = new Set<string>();
  const next = [...from];
  for (let sha = next.pop(); sha !== undefined; sha = next.pop()) {
    if (found.has(sha) || known.has(sha)) continue;
    found.add(sha);
    next.push(...((await readHistoryCommit(gitDir, sha))?.parents ?? []));
  }
  return found;
}

/**
 * How long the longest line from a commit down to a beginning is: more than that of each parent. So whoever looks for a
 * commit can leave out all that is not above it, which keeps a question from walking the whole history.
 */
async function heightOf(gitDir: string, sha: string): Promise<number> {
  const { heights } = objectsOf(gitDir);
  /** Of what is not there, and what stands on it: it may come to be there, and higher up. */
  const passing = new Map<string, number>();
  const known = (one: string): number | undefined => heights.get(one) ?? passing.get(one);
  const path = [sha];
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const commit = known(top) === undefined ? await readHistoryCommit(gitDir, top) : null;
    const parents = commit?.parents ?? [];
    const below = parents.filter((one) => known(one) === undefined);
    if (below.length > 0) {
      path.push(...below);
      continue;
    }
    path.pop();
    if (known(top) !== undefined) continue;
    const height = commit === null ? 0 : 1 + Math.max(0, ...parents.map((one) => known(one) ?? 0));
    const isWhole = commit !== null && parents.every((one) => heights.has(one));
    (isWhole ? heights : passing).set(top, height);
  }
  return known(sha) ?? 0;
}

export async function isReachable(gitDir: string, ancestor: string, descendant: string): Promise<boolean> {
  if ((await readHistoryCommit(gitDir, ancestor)) === null) return false;
  const { heights } = objectsOf(gitDir);
  const floor = await heightOf(gitDir, ancestor);
  const seen = new Set<string>();
  const next = [descendant];
  for (let sha = next.pop(); sha !== undefined; sha = next.pop()) {
    if (sha === ancestor) return true;
    if (seen.has(sha) || (heights.get(sha) ?? (await heightOf(gitDir, sha))) <= floor) continue;
    seen.add(sha);
    const commit = knownCommit(gitDir, sha) ?? (await readHistoryCommit(gitDir, sha));
    next.push(...(commit?.parents ?? []));
  }
  return false;
}

const OURS = 1;
const THEIRS = 2;
/** Below a common commit. */
const PASSED = 4;

/**
 * The best common commits: none of them can be reached from another. Commits are taken by height, so all that lead to one
 * have been taken before it is.
 */
export async function mergeBases(gitDir: string, one: string, other: string): Promise<string[]> {
  for (const sha of [one, other]) if ((await readHistoryCommit(gitDir, sha)) === null) return [];
  const marks = new Map<string, number>();
  const levels = new Map<number, string[]>();
  let open = 0;
  async function mark(sha: string, by: number): Promise<void> {
    const before = marks.get(sha);
    const after = (before ?? 0) | by;
    marks.set(sha, after);
    if (before === undefined) {
      const height = await heightOf(gitDir, sha);
      levels.set(height, [...(levels.get(height) ?? []), sha]);
    }
    if (before === undefined && !(after & PASSED)) open += 1;
    if (before !== undefined && !(before & PASSED) && after & PASSED) open -= 1;
  }
  await mark(one, OURS);
  await mark(other, THEIRS);
  const best: string[] = [];
  for (let height = Math.max(...levels.keys()); open > 0 && height > 0; height -= 1) {
    for (const sha of levels.get(height) ?? []) {
      const found = marks.get(sha) ?? 0;
      if (!(found & PASSED)) open -= 1;
      const isCommon = (found & OURS) !== 0 && (found & THEIRS) !== 0;
      if (isCommon && !(found & PASSED)) best.push(sha);
      const passedOn = isCommon ? found | PASSED : found;
      for (const parent of (await readHistoryCommit(gitDir, sha))?.parents ?? [])
        await mark(parent, passedOn);
    }
  }
  return best;
}

/** A line of commits from `to` down to what `from` has; null where it branches, since there git orders them. */
export async function readLine(
  gitDir: string,
  { from, to, limit = Number.POSITIVE_INFINITY }: { from?: string; to: string; limit?: number },
): Promise<GitCommit[] | null> {
  const theirs = new Set(from === undefined ? [] : await mergeBases(gitDir, from, to));
  const commits: GitCommit[] = [];
  for (let sha: string | undefined = to; sha !== undefined && commits.length < limit; ) {
    if (theirs.has(sha)) break;
    const commit: GitCommit | null = await readHistoryCommit(gitDir, sha);
    if (commit === null || commit.parents.length > 1) return null;
    commits.push(commit);
    sha = commit.parents[0];
  }
  return commits;
}
