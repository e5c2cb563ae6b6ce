import type { RunId } from "../../../core/ids.ts";
import { auditTexts } from "../../../core/report/audit/audit-texts.ts";
import { type RunEvent, runEventSchema } from "../../../core/run/events.ts";
import { evolve } from "../../../core/run/evolve/evolve.ts";
import type { Run } from "../../../core/run/run.ts";
import type { Host, RepoEngine } from "../host.ts";
import { adoptWork } from "../observe/adopt-work.ts";
import { unlessForged } from "./unless-forged.ts";

/**
 * Brings runs back that the store has lost, from the signed copies in git. Their events end where the last copy was made;
 * what happened since is found by looking at GitHub, where every trace of it is recognisable. Doing it twice, or in two
 * processes at once, is doing it once.
 */
export async function restoreRuns(host: Host, engine: RepoEngine): Promise<void> {
  for (const [run, copy] of await mirroredRuns(host, engine)) {
    if ((await bringBack(host, engine, run, copy.events)) !== "forged") await goOnWith(engine, run);
  }
}

/**
 * The same for ledgers that are there, but shorter than their copies: a store that lost its last second, or somebody who
 * wants a cancel or a withdrawn approval undone (T32). A ledger that is at least as long as its copy is left alone.
 */
export async function restoreEnds(host: Host, engine: RepoEngine): Promise<void> {
  for (const [run, copy] of await mirroredRuns(host, engine)) {
    if ((await bringBack(host, engine, run, copy.events)) === "restored") await goOnWith(engine, run);
  }
}

async function bringBack(
  host: Host,
  engine: RepoEngine,
  run: RunId,
  copy: readonly RunEvent[],
): Promise<"there" | "restored" | "forged"> {
  const ledger = await unlessForged(engine.store.load(run));
  if (ledger === null) return "forged";
  const { version, events } = ledger;
  if (version >= copy.length || !isBeginning(events, copy)) return "there";
  // What this process remembers of it may go further than the copy does.
  engine.runs.forget(run);
  const outcome = await engine.store.append(run, version, copy.slice(version));
  if (outcome.kind !== "appended") return "there";
  if (version === 0) host.warn(`the run ${run} was lost and is back from its copy in git`);
  else
    engine.audit.refused({
      ...{ boundary: "store", rule: "shortened", run },
      what: auditTexts.shortened(run, copy.length - version),
    });
  return "restored";
}

function isBeginning(events: readonly RunEvent[], copy: readonly RunEvent[]): boolean {
  return events.every((event, n) => JSON.stringify(event) === JSON.stringify(copy[n]));
}

async function goOnWith(engine: RepoEngine, run: RunId): Promise<void> {
  await adoptWork(engine, run);
  await engine.queue.enqueue({ kind: "observe", repo: engine.repo, run });
  await engine.queue.enqueue({ kind: "show", repo: engine.repo, run });
}

type Copy = { readonly run: Run; readonly events: readonly RunEvent[] };

/** What the signed copies say; one that can't be read is told and left out. */
export async function mirroredRuns(host: Host, engine: RepoEngine): Promise<ReadonlyMap<RunId, Copy>> {
  const copies = new Map<RunId, Copy>();
  for (const { run: id, text } of await engine.ledgerMirror.mirroredLedgers()) {
    const copy = readCopy(id, text);
    if (copy) copies.set(id, copy);
    else host.warn(`the copy of ${id} can't be read`);
  }
  return copies;
}

function readCopy(id: RunId, text: string): Copy | null {
  try {
    const events = text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => runEventSchema.parse(JSON.parse(line)));
    const run = evolve(null, events);
    return run?.id === id ? { run, events } : null;
  } catch {
    return null;
  }
}
