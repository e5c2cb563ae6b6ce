import { chooseSwept, type KeepLimits, type Kept } from "../../core/config/choose-swept.ts";
import type { Millis, RunId } from "../../core/ids.ts";
import type { Run } from "../../core/run/run.ts";
import type { KeptFiles } from "../../ports/run-files.ts";
import type { Engine } from "../engine.ts";
import { timestamp } from "../engine.ts";

type Keeper = Pick<Engine, "runs" | "files" | "now">;

/** Does what is to be done while nobody goes on with the run, or nothing. */
export type WhileNobodyDrives = (run: RunId, act: () => Promise<void>) => Promise<void>;

/**
 * Removes what ended runs left besides their ledgers, once it is older or more than it may be. A run that somebody goes on
 * with meanwhile keeps it. A crash in the middle leaves the rest to the next sweep.
 */
export async function sweepLogs(
  engine: Keeper,
  limits: KeepLimits,
  whileNobodyDrives: WhileNobodyDrives,
): Promise<void> {
  const kept = await Promise.all((await engine.files.kept()).map((files) => describe(engine, files)));
  for (const id of chooseSwept(kept, limits, engine.now())) {
    await whileNobodyDrives(id, async () => {
      const run = await find(engine, id);
      // Only who has a ledger can be asked about its logs.
      if (run === null) await engine.files.remove(id);
      else if (run !== "unreadable" && isOver(run)) await engine.files.sweep(id, timestamp(engine));
    });
  }
}

async function describe(engine: Keeper, { run: id, bytes, touchedAt }: KeptFiles): Promise<Kept> {
  const run = await find(engine, id);
  if (run === null) return { id, bytes, endedAt: touchedAt };
  return { id, bytes, endedAt: run === "unreadable" ? null : endOf(run) };
}

async function find({ runs }: Keeper, id: RunId): Promise<Run | null | "unreadable"> {
  return runs.load(id).catch(() => "unreadable" as const);
}

function endOf(run: Run): Millis | null {
  return isOver(run) && run.finishedAt !== null ? Date.parse(run.finishedAt) : null;
}

/** One that failed can go on, and does so without its logs. */
export function isOver({ status, recorded }: Run): boolean {
  return status !== "running" && (status !== "completed" || recorded !== null);
}
