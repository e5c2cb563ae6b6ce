import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createDriverLease } from "../../adapters/embedded/driver-lease.ts";
import { findTrees, lastUseOf, removeTrees, type TreesFound } from "../../adapters/git/trees/sweep-trees.ts";
import { foldersIn } from "../../adapters/os/folders-in.ts";
import { readKeepLimits } from "../../core/config/keep-limits.ts";
import { isId, type Millis, type RunId } from "../../core/ids.ts";
import { createRunLedgers } from "../../engine/run/run-ledgers.ts";
import { sweepLogs } from "../../engine/run/sweep-logs.ts";
import { forgetOldTasks } from "../../engine/task/forget-tasks.ts";
import type { TaskEngine } from "../../engine/task/task-engine.ts";
import type { DriverLease } from "../../ports/driver-lease.ts";
import { sweepSandboxes } from "../agents.ts";
import { clearTaskTrees, type TaskHoldings, taskOfTrees } from "../hold-task.ts";
import type { Env } from "../settings/env.ts";

export type LocalDisk = {
  readonly engine: TaskEngine;
  readonly env: Env;
  readonly tasks: Pick<TaskHoldings, "lease" | "folder" | "openWorkspace">;
  /** Of runs. */
  readonly lease: DriverLease;
  /** Where the trees of all repositories stand. */
  readonly trees: string;
  /** Where the homes and sandboxes of all repositories' agents are. */
  readonly sandboxes: string;
};

/** An agent's work that nobody came back to in so long is given up; its run goes on from what was committed. */
export const UNUSED_TREES_MS: Millis = 30 * 24 * 3_600_000;

/**
 * Removes what nobody needs any more: logs beyond their limits, old tasks, work trees that killed processes left, also those
 * of repositories that are gone, and sandboxes of dead processes. Whatever is in use is held by a lease or a living process and
 * stays. Two at once, or one that is killed on the way, do no harm: each step removes a whole thing that nobody will ask for.
 */
export async function sweepLocalDisk(all: LocalDisk): Promise<void> {
  // Of its own: whoever watches a run is told every event that it reads.
  const engine = { ...all.engine, runs: createRunLedgers(all.engine.store, () => {}) };
  const disk = { ...all, engine };
  const { env } = disk;
  const steps = [
    () => sweepLogs(engine, readKeepLimits(env), (run, act) => whileFree(disk.lease, run, act)),
    () => forgetOldTasks(engine),
    () => clearTaskTrees(disk.tasks),
    () => clearOwnTrees(disk),
    () => clearOtherTrees(disk),
    () => sweepSandboxes(disk.sandboxes, engine.now()),
  ];
  // A disk that is full, or someone else's, is no reason for a run to fail; the next sweep tries again.
  for (const step of steps) await step().catch(() => undefined);
}

async function whileFree(lease: DriverLease, id: RunId, act: () => Promise<void>): Promise<void> {
  const held = await lease.acquire(id);
  if (held.kind === "held") return;
  try {
    await act();
  } finally {
    await held.release();
  }
}

/** Of runs that are over, or that nobody has gone on with for long. */
async function clearOwnTrees({ engine, tasks, lease }: LocalDisk): Promise<void> {
  for (const id of foldersIn(dirname(tasks.folder), basename(tasks.folder)).filter(isId)) {
    await whileFree(lease, id, async () => {
      const { events } = await engine.store.load(id);
      const run = await engine.runs.load(id);
      const touchedAt = Date.parse(events.at(-1)?.at ?? new Date(0).toISOString());
      if (run?.status === "running" && engine.now() - touchedAt < UNUSED_TREES_MS) return;
      await tasks.openWorkspace(id).dispose();
    });
  }
}

async function clearOtherTrees({ engine, tasks, trees }: LocalDisk): Promise<void> {
  for (const found of findTrees(trees, basename(tasks.folder))) {
    const isUsed = (usedAt: Millis): boolean => engine.now() - usedAt < UNUSED_TREES_MS;
    if (isUsed(found.usedAt)) continue;
    const remove = async (): Promise<void> => {
      // To remove those before it may have taken minutes.
      if (!isUsed(lastUseOf(found.path))) await removeTrees(found);
    };
    const folder = ledgerOf(found);
    if (folder === null) await remove();
    else await whileFree(createDriverLease({ root: folder.root }), folder.id, remove);
  }
}

/** Where the lock lies that its driver would hold; null where there is nothing that could be driven. */
function ledgerOf({ commonDir, name }: TreesFound): { root: string; id: string } | null {
  if (commonDir === null) return null;
  const task = taskOfTrees(name);
  const root = join(commonDir, "loom", task === null ? "runs" : "tasks");
  const id = task ?? name;
  return isId(id) && existsSync(join(root, id)) ? { root, id } : null;
}
