import type { Errand, ErrandId } from "../../../core/errand/errand.ts";
import { isDropped } from "../../../core/errand/is-dropped.ts";
import type { RunId } from "../../../core/ids.ts";
import type { RepoEngine } from "../host.ts";
import { unlessForged } from "../unless-forged.ts";

/** What is being done for this thread, or for this run wherever it was asked for; oldest first. */
export async function openErrands(
  engine: RepoEngine,
  number: number,
  about: RunId | null = null,
): Promise<Errand[]> {
  const mayBe = (id: ErrandId): boolean =>
    isOfThread(id, number) || (about !== null && id.startsWith("revise-"));
  const open = (await loadErrands(engine, mayBe)).filter(
    ({ outcome, origin, run }) => !outcome && (origin?.issue === number || (about !== null && run === about)),
  );
  return open.sort((a, b) => a.createdAt.localeCompare(b.createdAt));
}

/** The same without those that somebody cancelled in time: they have yet to end, and stand in nobody's way. */
export async function errandsAtWork(
  engine: RepoEngine,
  number: number,
  about: RunId | null = null,
): Promise<Errand[]> {
  return (await openErrands(engine, number, about)).filter((errand) => !isDropped(errand));
}

/** All that was ever done for this thread and is still remembered, in no order. */
export async function errandsOfThread(engine: RepoEngine, number: number): Promise<Errand[]> {
  return loadErrands(engine, (id) => isOfThread(id, number));
}

export async function allErrands(engine: RepoEngine): Promise<Errand[]> {
  return loadErrands(engine, () => true);
}

/** Asked with each comment that could be an answer, whoever wrote it: what belongs to other threads is not even opened. */
async function loadErrands(engine: RepoEngine, wanted: (id: ErrandId) => boolean): Promise<Errand[]> {
  const errands: Errand[] = [];
  for (const id of (await engine.errandStore.list()).filter(wanted)) {
    const errand = await unlessForged(engine.errands.load(id));
    if (errand) errands.push(errand);
  }
  return errands;
}

/** As `errandIdFor` names them. */
function isOfThread(id: ErrandId, number: number): boolean {
  return /-(\d+)-(?:(?:line|review)?\d+|issue)(?:-\d+)?$/.exec(id)?.[1] === String(number);
}
