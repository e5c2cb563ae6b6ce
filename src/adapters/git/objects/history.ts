import { InternalError } from "../../../core/errors.ts";
import { isSha, type Sha } from "../../../core/ids.ts";
import type { CommitNote, GitHistory, RepositoryGit } from "../../../ports/git.ts";
import { type ReadCommit, readCommit } from "../commit/commit-note.ts";
import { readLog } from "./read-log.ts";
import { walkRange, walkToAncestor } from "./walk-commits.ts";

const COMMITS_KEPT = 5_000;
/** Git has no limit on messages, and nobody should fill the memory with them. */
const LONGEST = 16_384;

/**
 * Questions about how commits hang together. They are asked of the objects themselves, which never change, so that what was read
 * once is known: `git log` and `git merge-base` cost a process each, and read all of it every time. Git is asked where the
 * answer lies far back, where history is cut off, and where something is written in a way of its own.
 */
export function createHistory(git: Pick<RepositoryGit, "repository" | "objects" | "trusted">): GitHistory {
  const known = new Map<Sha, ReadCommit>();

  async function read(sha: Sha): Promise<ReadCommit | null> {
    const before = known.get(sha);
    if (before) return before;
    const object = await git.objects.read(sha);
    if (object?.type !== "commit" || object.content.length > LONGEST) return null;
    const commit = readCommit(object.content);
    if (commit === null) return null;
    known.set(sha, commit);
    const [oldest] = known.keys();
    if (known.size > COMMITS_KEPT && oldest !== undefined) known.delete(oldest);
    return commit;
  }
  // Where history is cut off, commits name parents that count for nothing.
  const readWhole = git.repository.shallow ? async () => null : read;

  async function noteOf(sha: Sha): Promise<CommitNote | null> {
    const commit = await read(checked(sha));
    if (!commit?.trailers) return null;
    const { parents, committer, message, trailers } = commit;
    return { commit: sha, parents, committer, message, ...trailers };
  }

  async function note(sha: Sha): Promise<CommitNote> {
    const known = await noteOf(sha);
    if (known) return known;
    const [told] = await readLog(git.trusted, sha, "only");
    if (told === undefined) throw new InternalError(`git log says nothing about ${sha}`);
    return told;
  }

  return {
    note,
    async isAncestor(ancestor, descendant) {
      const found = await walkToAncestor(readWhole, checked(ancestor), checked(descendant));
      if (found !== null) return found;
      for (const commit of [ancestor, descendant])
        if ((await git.objects.look(commit)) === null) return false;
      const { code, stderr } = await git.trusted({
        command: "merge-base",
        options: ["--is-ancestor"],
        values: [ancestor, descendant],
        answers: [1, 128],
      });
      // One that was there, and is no commit, is in nobody's history either.
      if (code === 128 && !stderr.includes("Not a valid commit name")) throw new Error(stderr.trim());
      return code === 0;
    },
    async notes(from, to, how) {
      const found = await walkRange(readWhole, checked(from), checked(to));
      if (found === null) return readLog(git.trusted, `${from}..${to}`, how);
      const read = await Promise.all(found.map(noteOf));
      const all = read.filter((one) => one !== null);
      // One question about all of them, and not one about each that only git understands.
      if (all.length < read.length) return readLog(git.trusted, `${from}..${to}`, how);
      return how === "all" ? all : firstParents(to, all);
    },
  };
}

/** The line of a branch: no more than where each commit was put onto the one before. */
function firstParents(tip: Sha, notes: readonly CommitNote[]): CommitNote[] {
  const byName = new Map(notes.map((note) => [note.commit, note]));
  const line: CommitNote[] = [];
  for (let at = byName.get(tip); at; at = byName.get(at.parents[0] ?? "")) line.push(at);
  return line;
}

function checked(sha: Sha): Sha {
  if (!isSha(sha)) throw new InternalError(`${JSON.stringify(sha)} is not an object name`);
  return sha;
}
