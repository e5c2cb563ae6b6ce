import { type Place, readPlace } from "../../core/delivery/delivery.ts";
import { type RepoId, repoId } from "../../core/ids.ts";
import type { Shelf } from "../../ports/shelf.ts";

/** Where repositories are: told by each delivery, asked from GitHub when forgotten. */

export async function rememberPlace(shelf: Shelf, place: Place): Promise<void> {
  const text = JSON.stringify(place);
  const key = placeKey(repoId(place.repo.id));
  if ((await shelf.get(key)) !== text) await shelf.set(key, text);
}

export async function findPlace(shelf: Shelf, repo: RepoId): Promise<Place | null> {
  const text = await shelf.get(placeKey(repo));
  return text === null ? null : readPlace(text);
}

export async function knownPlaces({ shelf }: { readonly shelf: Shelf }): Promise<Place[]> {
  const entries = await shelf.list("place/");
  return [...entries.values()].flatMap((text) => readPlace(text) ?? []);
}

/** GitHub has told all places, and the store has kept them since. */
export async function knowsAll(shelf: Shelf): Promise<boolean> {
  return (await shelf.get(ASKED)) !== null;
}

export async function haveAsked(shelf: Shelf): Promise<void> {
  await shelf.set(ASKED, "yes");
}

export async function askAgain(shelf: Shelf): Promise<void> {
  await shelf.remove(ASKED);
}

/** Gone when the store has lost everything else as well. */
const ASKED = "places-asked";

function placeKey(repo: RepoId): string {
  return `place/${repo}`;
}
