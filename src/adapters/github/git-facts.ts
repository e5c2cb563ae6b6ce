import * as z from "zod";
import type { Sha } from "../../core/ids.ts";
import { readAnswer } from "./api/read-answer.ts";
import type { Repository } from "./repository.ts";

/** What git knows about fetched commits. */

const REF = "GET /repos/{owner}/{repo}/git/ref/{ref}";
const REF_SHAPE = z.object({ ref: z.string(), object: z.object({ sha: z.string() }) });

/** Asked by the API, where "as before" costs nothing and takes milliseconds; `git ls-remote` takes a process and more. */
export async function findBranchTip(repository: Repository, branch: string): Promise<Sha | null> {
  const tip = await readBranchTip(repository, branch);
  if (tip !== null) await repository.remote.fetchRefAt(`refs/heads/${branch}`, tip);
  return tip;
}

/** Only its name: the commit may not be here yet. */
export async function readBranchTip(repository: Repository, branch: string): Promise<Sha | null> {
  const reply = await repository.ask(REF, { ref: `heads/${branch}` }, { answers: [404, 409] });
  if (reply.status >= 400) {
    await repository.assertReachable();
    return null;
  }
  const { ref, object } = readAnswer(REF_SHAPE, reply, REF);
  return ref === `refs/heads/${branch}` ? object.sha : null;
}

const COMMIT = "GET /repos/{owner}/{repo}/git/commits/{commit_sha}";

/** Asked by the API, for a commit that nobody needs here yet. */
export async function readTree(repository: Repository, commit: Sha): Promise<Sha> {
  const reply = await repository.ask(COMMIT, { commit_sha: commit });
  return readAnswer(z.object({ tree: z.object({ sha: z.string() }) }), reply, COMMIT).tree.sha;
}

export async function assertFetched(repository: Repository, commit: Sha): Promise<void> {
  const [missing] = await repository.remote.fetchCommits([commit]);
  if (missing !== undefined) throw new Error(`failed to fetch the commit ${missing}`);
}

/** The object that stands at a path; null when it is no regular file. */
export async function blobAt(repository: Repository, commit: Sha, path: string): Promise<Sha | null> {
  const { stdout } = await repository.git.trusted({
    command: "ls-tree",
    options: ["-z", "--full-tree"],
    values: [commit],
    paths: [path],
  });
  const entry = /^100(?:644|755) blob ([0-9a-f]+)\t([^\0]+)\0$/.exec(stdout);
  return entry?.[2] === path ? (entry[1] ?? null) : null;
}
