import type { Sha } from "../../../core/ids.ts";
import type { ReadCommit } from "../commit/commit-note.ts";

/** null: the commit is not there, or is one that only git can read. */
export type ReadOne = (commit: Sha) => Promise<ReadCommit | null>;

/** So many commits are read for one answer. Past that, a git of its own is quicker, for it has an index of all history. */
const MOST_READ = 2_000;
/** So many older ones are looked at before the clocks of those who made them are believed; as in git. */
const SLOP = 5;
/** Older than the one that is looked for, and perhaps all the same on the way to it. */
const MOST_OLDER = 64;

type Entry = { readonly sha: Sha; readonly commit: ReadCommit };

/** Whether the ancestor is the descendant, or among what led to it. null: git has to tell. */
export async function walkToAncestor(read: ReadOne, ancestor: Sha, descendant: Sha): Promise<boolean | null> {
  if (ancestor === descendant) return true;
  const wanted = await read(ancestor);
  const start = await read(descendant);
  if (wanted === null || start === null) return null;
  const queue = createQueue();
  const seen = new Set([descendant]);
  queue.add({ sha: descendant, commit: start });
  let older = 0;
  for (let next = queue.take(); next; next = queue.take()) {
    if (next.commit.at < wanted.at) older += 1;
    if (older > MOST_OLDER || seen.size > MOST_READ) return null;
    for (const parent of next.commit.parents) {
      if (parent === ancestor) return true;
      if (seen.has(parent)) continue;
      seen.add(parent);
      const commit = await read(parent);
      if (commit === null) return null;
      queue.add({ sha: parent, commit });
    }
  }
  return false;
}

/**
 * What `to` has and `from` has not, in the order of `git log from..to`, and by the same rule for clocks that are wrong.
 * null: git has to tell.
 */
export async function walkRange(read: ReadOne, from: Sha, to: Sha): Promise<readonly Sha[] | null> {
  const queue = createQueue();
  const commits = new Map<Sha, ReadCommit>();
  const hidden = new Set<Sha>();
  const found: Sha[] = [];

  /** What was seen already and turns out to be a part of `from` takes all along that led to it. */
  function hide(start: Sha): void {
    const next = [start];
    for (let sha = next.pop(); sha !== undefined; sha = next.pop()) {
      if (hidden.has(sha)) continue;
      hidden.add(sha);
      next.push(...(commits.get(sha)?.parents ?? []));
    }
  }
  async function meet(sha: Sha): Promise<boolean> {
    if (commits.has(sha)) return true;
    const commit = await read(sha);
    if (commit === null) return false;
    commits.set(sha, commit);
    queue.add({ sha, commit });
    if (hidden.has(sha)) for (const parent of commit.parents) hide(parent);
    return true;
  }

  hide(from);
  if (!(await meet(to)) || !(await meet(from))) return null;
  let newest = Number.POSITIVE_INFINITY;
  let slop = SLOP;
  for (let next = queue.take(); next; next = queue.take()) {
    if (commits.size > MOST_READ) return null;
    for (const parent of next.commit.parents) if (!(await meet(parent))) return null;
    if (!hidden.has(next.sha)) {
      newest = next.commit.at;
      found.push(next.sha);
      continue;
    }
    const first = queue.first();
    if (first === undefined) break;
    slop = newest <= first.commit.at || queue.some(({ sha }) => !hidden.has(sha)) ? SLOP : slop - 1;
    if (slop === 0) break;
  }
  return found.filter((sha) => !hidden.has(sha));
}

/** The newest comes first; of equals, the one that came first. */
function createQueue() {
  const entries: Entry[] = [];
  return {
    add(entry: Entry): void {
      let [low, high] = [0, entries.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        const there = entries[middle];
        if (there && there.commit.at >= entry.commit.at) low = middle + 1;
        else high = middle;
      }
      entries.splice(low, 0, entry);
    },
    take: () => entries.shift(),
    first: () => entries[0],
    some: (is: (entry: Entry) => boolean) => entries.some(is),
  };
}
