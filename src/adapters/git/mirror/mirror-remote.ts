import { InternalError, UserError } from "../../../core/errors.ts";
import type { Sha } from "../../../core/ids.ts";
import type { GitAnswer, GitCall } from "../../../ports/git.ts";
import type { Remote } from "../../../ports/remote.ts";
import { checkedSha } from "../objects/object-reader.ts";
import { GitFailure } from "../run/git-failure.ts";
import { inTurn } from "../run/in-turn.ts";
import { remoteFailure } from "../run/remote-failure.ts";
import { rememberRefs } from "./mirror-refs.ts";
import { pushUpdates } from "./push-updates.ts";

/**
 * The other side of a mirror. Commits are fetched by name and refs are written afterwards, in a step of their own: what
 * was listed is what is fetched however the branches move meanwhile, and a `git fetch` that updates refs fails when
 * another process updates the same ones.
 */
export type MirrorLines = {
  readonly url: string;
  readonly folder: string;
  /** The git directory from which the other side is talked to; what came from there is written down in its refs. */
  readonly gitDir: string;
  /** In the mirror. */
  here(call: GitCall): Promise<GitAnswer>;
  /** Whether the object itself is in the mirror. What it needs may be missing all the same. */
  has(commit: Sha): Promise<boolean>;
  /** To the other side, with a token. */
  there(call: GitCall): Promise<GitAnswer>;
};

export function createMirrorRemote(lines: MirrorLines): Remote {
  const { url, here } = lines;
  // What this process has seen to be here, all that it reaches included: whoever makes a mirror anew opens this anew.
  const complete = new Set<Sha>();
  const remembered = new Map<string, Sha>();

  async function remember(refs: readonly string[], found: ReadonlyMap<string, Sha>): Promise<void> {
    const news = refs.filter((ref) => !found.has(ref) || remembered.get(ref) !== found.get(ref));
    await rememberRefs({ folder: lines.gitDir, run: here }, news, found);
    for (const ref of news) {
      const sha = found.get(ref);
      if (sha === undefined) remembered.delete(ref);
      else remembered.set(ref, sha);
    }
  }

  async function there(call: GitCall): Promise<GitAnswer> {
    try {
      return await lines.there(call);
    } catch (error) {
      throw remoteFailure(url, error);
    }
  }

  async function list(prefixes: readonly string[]): Promise<Map<string, Sha>> {
    if (prefixes.length === 0) return new Map();
    return listRefs(
      there,
      prefixes.map((prefix) => `${checkedRef(prefix)}*`),
      (ref) => prefixes.some((prefix) => ref.startsWith(prefix)),
    );
  }

  async function look(refs: readonly string[]): Promise<Map<string, Sha>> {
    if (refs.length === 0) return new Map();
    return listRefs(there, refs.map(checkedRef), (ref) => refs.includes(ref));
  }

  /** Git itself sees whether all that a commit needs is here, and goes without the network when it is. */
  async function fetchObjects(all: readonly Sha[]): Promise<void> {
    const commits = all.filter((commit) => !complete.has(commit));
    if (commits.length === 0) return;
    const present = await Promise.all(commits.map(lines.has));
    // What is not here at all need not be looked through.
    if (present.includes(false) || !(await areComplete(here, commits))) await fetchNow(commits);
    if (complete.size > MAX_KNOWN) complete.clear();
    for (const commit of commits) complete.add(commit);
  }

  async function fetchNow(commits: readonly Sha[]): Promise<void> {
    await there({
      command: "fetch",
      options: [
        "--quiet",
        "--no-tags",
        "--no-write-fetch-head",
        "--no-recurse-submodules",
        "--no-auto-maintenance",
      ],
      values: commits.map(checkedSha),
    });
  }

  return {
    list,
    fetchRefs: (refs) =>
      inTurn(lines.folder, async () => {
        const found = await look(refs);
        if (found.size === 0 && refs.length > 0) await assertNotEmpty(url, there);
        await fetchObjects([...new Set(found.values())]);
        await remember(refs, found);
        return found;
      }),
    fetchCommits: (commits) =>
      inTurn(lines.folder, async () => {
        let wanted = [...new Set(commits.map(checkedSha))];
        const missing: Sha[] = [];
        for (;;) {
          try {
            await fetchObjects(wanted);
            return missing;
          } catch (error) {
            // The other side names the first one that it does not have, or does not give away.
            const named = unavailable(error);
            if (!wanted.includes(named)) throw error;
            missing.push(named);
            wanted = wanted.filter((commit) => commit !== named);
          }
        }
      }),
    fetchRefAt: (ref, commit) =>
      inTurn(lines.folder, async () => {
        await fetchObjects([checkedSha(commit)]);
        await remember([checkedRef(ref)], new Map([[ref, commit]]));
      }),
    push: (updates) => {
      for (const { ref, to, expected } of updates) {
        checkedRef(ref);
        for (const sha of [to, expected]) if (sha !== null) checkedSha(sha);
      }
      return pushUpdates({ url, look, send: lines.there }, updates);
    },
  };
}

/** Git asks the server for a part of its refs only by these two options; patterns are applied on this side. */
async function listRefs(
  there: MirrorLines["there"],
  patterns: readonly string[],
  isWanted: (ref: string) => boolean,
): Promise<Map<string, Sha>> {
  const isAll = (start: string): boolean => patterns.every((pattern) => pattern.startsWith(start));
  const { stdout } = await there({
    command: "ls-remote",
    options: [
      "--quiet",
      "--refs",
      ...(isAll("refs/heads/") ? ["--heads"] : []),
      ...(isAll("refs/tags/") ? ["--tags"] : []),
    ],
    values: patterns,
  });
  const found = stdout
    .split("\n")
    .map((line) => line.split("\t"))
    .filter(([, ref]) => ref !== undefined && isWanted(ref));
  return new Map(found.map(([sha = "", ref = ""]) => [ref, checkedSha(sha)]));
}

async function assertNotEmpty(url: string, there: MirrorLines["there"]): Promise<void> {
  const { stdout } = await there({ command: "ls-remote", options: ["--quiet", "--refs"] });
  if (stdout.trim() !== "") return;
  throw new UserError(`The repository ${url} has no commits yet.`, {
    next: "Push a first commit to it and try again.",
  });
}

/** Whether everything that these commits reach is here. A fetch that was killed can leave a commit without its files. */
async function areComplete(here: MirrorLines["here"], commits: readonly Sha[]): Promise<boolean> {
  const { code } = await here({
    command: "rev-list",
    options: ["--objects", "--quiet", "--stdin", "--not", "--all"],
    input: `${commits.join("\n")}\n`,
    answers: [1, 128],
  });
  return code === 0;
}

const MAX_KNOWN = 10_000;

function unavailable(error: unknown): Sha {
  const said = error instanceof GitFailure ? error.stderr : "";
  return (
    /(?:not our ref|Server does not allow request for unadvertised object) ([0-9a-f]{40,64})/.exec(
      said,
    )?.[1] ?? ""
  );
}

/** The beginning of a ref, or one: nothing that a refspec or a pattern could make something else of (T14). */
function checkedRef(ref: string): string {
  if (!/^refs\/[^\s\\~^:?*[\u0000-\u001f\u007f]*$/.test(ref) || /\.\.|@\{|\/\//.test(ref)) {
    throw new InternalError(`${JSON.stringify(ref.slice(0, 120))} is not the name of a ref`);
  }
  return ref;
}
