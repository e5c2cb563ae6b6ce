import type { RunEvent } from "../../../core/run/events.ts";
import type { Run } from "../../../core/run/run.ts";
import type { RepoEngine } from "../host.ts";

/** After these, losing the ledger would cost more than time. */
const MILESTONES: ReadonlySet<RunEvent["type"]> = new Set([
  "run-created",
  "plan-offered",
  "plan-amended",
  "plan-edit-refused",
  "run-approved",
  "approval-voided",
  "stage-published",
  "stage-merged",
  "stage-taken",
  "stage-skipped",
  "cancel-requested",
  "run-finished",
]);

/** Keeps a copy of the ledger in git, where it survives the loss of the store (F7). One push per milestone at most. */
export async function mirrorRun(engine: RepoEngine, run: Run): Promise<void> {
  const key = `mirrored/${run.id}`;
  const mirrored = Number((await engine.cache.get(key)) ?? "0");
  // Most looks find no milestone; only for a copy is the whole ledger read.
  const news = await engine.store.loadSince(run.id, mirrored);
  if (!news.events.some(({ type }) => MILESTONES.has(type))) return;
  const { version, events } = await engine.store.load(run.id);
  await engine.ledgerMirror.mirrorLedger(
    run.id,
    `${events.map((event) => JSON.stringify(event)).join("\n")}\n`,
  );
  await engine.cache.set(key, String(version));
}
