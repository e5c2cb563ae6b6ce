import { type RepositoryRef, readRepositoryRef } from "../../../core/command/delivery.ts";
import { type RepoId, repoId } from "../../../core/ids.ts";
import type { Cache } from "../../../ports/cache.ts";

/** Where repositories are: told by each delivery, asked from GitHub when forgotten. */

export async function rememberRepository(cache: Cache, repoRef: RepositoryRef): Promise<void> {
  const text = JSON.stringify(repoRef);
  const key = refKey(repoId(repoRef.repo.id));
  if ((await cache.get(key)) !== text) await cache.set(key, text);
}

export async function findRepositoryRef(cache: Cache, repo: RepoId): Promise<RepositoryRef | null> {
  const text = await cache.get(refKey(repo));
  return text === null ? null : readRepositoryRef(text);
}

export async function knownRepositories({ cache }: { readonly cache: Cache }): Promise<RepositoryRef[]> {
  const entries = await cache.list("repository/");
  return [...entries.values()].flatMap((text) => readRepositoryRef(text) ?? []);
}

/** GitHub has told all places, and the store has kept them since. */
export async function knowsAll(cache: Cache): Promise<boolean> {
  return (await cache.get(ASKED)) !== null;
}

export async function haveAsked(cache: Cache): Promise<void> {
  await cache.set(ASKED, "yes");
}

export async function askAgain(cache: Cache): Promise<void> {
  await cache.remove(ASKED);
}

/** Gone when the store has lost everything else as well. */
const ASKED = "repositories-asked";

function refKey(repo: RepoId): string {
  return `repository/${repo}`;
}
