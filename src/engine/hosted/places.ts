import { type Place, readPlace } from "../../core/delivery/delivery.ts";
import { type RepoId, repoId } from "../../core/ids.ts";
import type { Cache } from "../../ports/cache.ts";

/** Where repositories are: told by each delivery, asked from GitHub when forgotten. */

export async function rememberPlace(cache: Cache, place: Place): Promise<void> {
  const text = JSON.stringify(place);
  const key = placeKey(repoId(place.repo.id));
  if ((await cache.get(key)) !== text) await cache.set(key, text);
}

export async function findPlace(cache: Cache, repo: RepoId): Promise<Place | null> {
  const text = await cache.get(placeKey(repo));
  return text === null ? null : readPlace(text);
}

export async function knownPlaces({ cache }: { readonly cache: Cache }): Promise<Place[]> {
  const entries = await cache.list("place/");
  return [...entries.values()].flatMap((text) => readPlace(text) ?? []);
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
const ASKED = "places-asked";

function placeKey(repo: RepoId): string {
  return `place/${repo}`;
}
