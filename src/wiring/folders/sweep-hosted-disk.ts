import { mkdir, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { emptyMirrorDirectory } from "../../adapters/git/mirror/mirror-directory.ts";
import { clearMirrorLeftovers, lookAtMirror, packMirror } from "../../adapters/git/mirror/mirror-upkeep.ts";
import { lastUseOf } from "../../adapters/git/trees/sweep-trees.ts";
import { tryLock } from "../../adapters/os/file-lock.ts";
import { foldersIn } from "../../adapters/os/folders-in.ts";
import type { KeepLimits } from "../../core/config/choose-swept.ts";
import { isId, type Millis, type RepoId } from "../../core/ids.ts";
import { KEEP_TASKS_MS } from "../../core/task/is-forgettable.ts";
import { isLive } from "../../engine/github/command/find-run.ts";
import type { RepoEngine } from "../../engine/github/host.ts";
import { createRunLedgers, type RunLedgers } from "../../engine/run/run-ledgers.ts";
import { isOver, sweepLogs } from "../../engine/run/sweep-logs.ts";
import type { RepositoryGit } from "../../ports/git.ts";
import type { Workspace } from "../../ports/workspace.ts";
import { sweepSandboxes } from "../agents.ts";

/** A repository as it lies on this machine. */
export type RepositoryDisk = {
  readonly engine: RepoEngine;
  readonly git: RepositoryGit;
  /** For trees of others, who are gone. */
  readonly workspaceIn: (folder: string) => Workspace;
};

export type HostedDisk = {
  readonly data: string;
  /** The name that this process holds. */
  readonly worker: string;
  /** null: nothing is known of such a repository. */
  readonly repository: (repo: RepoId) => Promise<RepositoryDisk | null>;
  readonly limits: KeepLimits;
  readonly now: () => Millis;
  readonly warn: (message: string, error: unknown) => void;
};

/** A run that waits for people gets its trees anew when it goes on. */
const UNUSED_TREES_MS: Millis = 24 * 3_600_000;
const UNUSED_MIRROR_MS: Millis = 30 * 24 * 3_600_000;
/** Nobody who is at work leaves a mirror alone for so long. */
const QUIET_MS: Millis = 3_600_000;

/**
 * Removes what nobody needs any more from the disk of this worker: the store is swept elsewhere, and other machines have disks
 * of their own. One process at a time on each data folder. A mirror is packed, and made anew when nobody has used it for a month,
 * or when it is old and all is quiet: commits of attempts that came to nothing go only that way.
 */
export async function sweepHostedDisk(disk: HostedDisk): Promise<void> {
  await mkdir(disk.data, { recursive: true, mode: 0o700 });
  const lock = await tryLock(join(disk.data, "sweeping"));
  if (lock.kind === "held") return;
  try {
    for (const repo of foldersIn(join(disk.data, "repositories")).filter(isId)) {
      await orWarn(disk, repo, () => sweepRepository(disk, repo));
    }
    await orWarn(disk, "other workers", () => sweepOtherWorkers(disk));
    await orWarn(disk, "sandboxes", () => sweepSandboxes(join(disk.data, "sandboxes"), disk.now()));
  } finally {
    await lock.release();
  }
}

/** What fails for one leaves the others as they are; the next sweep tries again. */
async function orWarn(disk: HostedDisk, what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    disk.warn(`failed to clear up the disk (${what})`, error);
  }
}

async function sweepRepository(disk: HostedDisk, repo: RepoId): Promise<void> {
  const found = await disk.repository(repo);
  if (found) {
    const { engine } = found;
    // Of its own: all that the engine's view reads is shown to people.
    const runs = createRunLedgers(engine.store, () => {});
    await clearOwnTrees(disk, repo, engine, runs);
    // Nobody is told on a server that logs are gone, so no note of it stays.
    const files = { ...engine.files, sweep: (run: string) => engine.files.remove(run) };
    await sweepLogs({ ...engine, runs, files, now: disk.now }, disk.limits, (_run, act) => act());
    await clearTaskFiles(disk, engine);
    await packMirror(found.git);
    await renewMirror(disk, repo, engine, runs);
  } else await renewMirror(disk, repo, null, null);
  await clearMirrorLeftovers(mirrorOf(disk, repo), disk.now());
}

/** Of runs that are over at once, of the others when they have not been used for a day. */
async function clearOwnTrees(
  { data, worker }: HostedDisk,
  repo: RepoId,
  engine: RepoEngine,
  runs: RunLedgers,
): Promise<void> {
  for (const name of foldersIn(join(data, "workers"), worker, repo)) {
    const run = isId(name) ? await runs.load(name).catch(() => null) : null;
    await engine.workspaceFor({ id: name }).removeUnused(run && isOver(run) ? 0 : UNUSED_TREES_MS);
  }
}

/** The worker that forgot the task removed what it had itself. */
async function clearTaskFiles({ now }: HostedDisk, engine: RepoEngine): Promise<void> {
  const known = new Set(await engine.taskStore.list());
  for (const { run: task, touchedAt } of await engine.taskFiles.kept())
    if (!known.has(task) && now() - touchedAt > KEEP_TASKS_MS) await engine.taskFiles.remove(task);
}

async function renewMirror(
  disk: HostedDisk,
  repo: RepoId,
  engine: RepoEngine | null,
  runs: RunLedgers | null,
): Promise<void> {
  const { now, limits } = disk;
  const path = mirrorOf(disk, repo);
  const state = lookAtMirror(path);
  if (!state || state.isEmpty || state.hasTrees) return;
  const quietMs = now() - state.touchedAt;
  const isOld = now() - state.bornAt > limits.ms && quietMs > QUIET_MS;
  if (!isOld && quietMs <= UNUSED_MIRROR_MS) return;
  if (engine && runs && (await hasLiveRuns(engine, runs))) return;
  // Whoever opened it since then keeps it, and it is judged again with the next sweep.
  await emptyMirrorDirectory(path, (moved) => isDeepStrictEqual(lookAtMirror(moved), state));
}

async function hasLiveRuns(engine: RepoEngine, runs: RunLedgers): Promise<boolean> {
  for (const id of await engine.store.list()) {
    const run = await runs.load(id).catch(() => null);
    if (run === null || isLive(run)) return true;
  }
  return false;
}

/** Of workers that are gone, or will start under that name again: what they left a day ago nobody takes up any more. */
async function sweepOtherWorkers(disk: HostedDisk): Promise<void> {
  const folder = join(disk.data, "workers");
  for (const name of foldersIn(folder).filter((one) => isId(one) && one !== disk.worker)) {
    const lock = await tryLock(join(folder, `${name}.lock`));
    if (lock.kind === "held") continue;
    try {
      for (const repo of foldersIn(folder, name)) await sweepLeft(disk, join(folder, name, repo), repo);
      await rmdir(join(folder, name)).catch(() => undefined);
    } finally {
      await lock.release();
    }
  }
}

async function sweepLeft(disk: HostedDisk, folder: string, repo: string): Promise<void> {
  const found = isId(repo) ? await disk.repository(repo) : null;
  for (const run of foldersIn(folder)) {
    const path = join(folder, run);
    if (found && disk.now() - lastUseOf(path) > UNUSED_TREES_MS) await found.workspaceIn(path).dispose();
  }
  await rmdir(folder).catch(() => undefined);
}

function mirrorOf({ data }: HostedDisk, repo: RepoId): string {
  return join(data, "repositories", repo, "mirror.git");
}
