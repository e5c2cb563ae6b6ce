import type { GitCommit } from "../model/model-git.ts";
import { type GitObject, objectsOf } from "./object-reader.ts";

/** Walks through commits in this process: whole shas only, for which the answer can be found without git's own rules. */

const FULL_SHA = /^[0-9a-f]{40}$/;
const PERSON = /^(.*?) ?<([^<>]*)> (\d+) [+-]\d{4}$/;

export const isFullSha = (name: string): boolean => FULL_SHA.test(name);

/** null: there is no such commit. */
export async function readHistoryCommit(gitDir: string, sha: string): Promise<GitCommit | null> {
  const objects = objectsOf(gitDir);
  const known = objects.parsed.get(sha) as GitCommit | undefined;
  if (known) return known;
  const found = await objects.read(sha);
  if (found?.type !== "commit") return null;
  const commit = parseCommit(found);
  objects.parsed.set(sha, commit);
  return commit;
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

export async function isReachable(gitDir: string, ancestor: string, descendant: string): Promise<boolean> {
  if ((await readHistoryCommit(gitDir, ancestor)) === null) return false;
  const seen = new Set<string>();
  const next = [descendant];
  for (let sha = next.pop(); sha !== undefined; sha = next.pop()) {
    if (sha === ancestor) return true;
    if (seen.has(sha)) continue;
    seen.add(sha);
    next.push(...((await readHistoryCommit(gitDir, sha))?.parents ?? []));
  }
  return false;
}

/** The best common commits: none of them can be reached from another. */
export async function mergeBases(gitDir: string, one: string, other: string): Promise<string[]> {
  for (const sha of [one, other]) if ((await readHistoryCommit(gitDir, sha)) === null) return [];
  const ours = await reachable(gitDir, [one]);
  const best: string[] = [];
  const seen = new Set<string>();
  const next = [other];
  for (let sha = next.pop(); sha !== undefined; sha = next.pop()) {
    if (seen.has(sha)) continue;
    seen.add(sha);
    if (ours.has(sha)) best.push(sha);
    else next.push(...((await readHistoryCommit(gitDir, sha))?.parents ?? []));
  }
  if (best.length < 2) return best;
  const kept: string[] = [];
  for (const sha of best) {
    const others = best.filter((one) => one !== sha);
    const below = await Promise.all(others.map((one) => isReachable(gitDir, sha, one)));
    if (!below.includes(true)) kept.push(sha);
  }
  return kept;
}

/** A line of commits from `to` down to what `from` has; null where it branches, since there git orders them. */
export async function readLine(
  gitDir: string,
  { from, to, limit = Number.POSITIVE_INFINITY }: { from?: string; to: string; limit?: number },
): Promise<GitCommit[] | null> {
  const theirs = from === undefined ? new Set<string>() : await reachable(gitDir, [from]);
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
