import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { InternalError, messageOf, UserError } from "../../core/errors.ts";
import { isId, type RunId } from "../../core/ids.ts";
import type { AppendOutcome, Ledger, RunStore, Unwatch } from "../../ports/run-store.ts";
import { type FileLock, waitForLock } from "./file-lock.ts";
import { createLedgerFile, hasBatch, type LedgerFile } from "./ledger-file.ts";
import { ledgerPath, runFolder } from "./run-folder.ts";
import { watchLedger } from "./watch-ledger.ts";

const LOCK_TIMEOUT_MS = 10_000;
const REMOVED = ".removed-";

/**
 * Ledgers as files: `<root>/<run>/events.jsonl`. Any number of processes of one machine may read and append; appends
 * are serialised by a lock beside the file. An append that was acknowledged is on the disk.
 */
export function createEmbeddedRunStore({ root }: { root: string }): RunStore {
  const ledgers = new Map<RunId, { readonly file: LedgerFile; readonly inTurn: Turns }>();
  const watches = new Set<Unwatch>();

  function ledgerOf(run: RunId) {
    const path = ledgerPath(root, run);
    const ledger = ledgers.get(run) ?? { file: createLedgerFile(path), inTurn: createTurns() };
    ledgers.set(run, ledger);
    return ledger;
  }

  async function loadSince(run: RunId, version: number): Promise<Ledger> {
    const { file, inTurn } = ledgerOf(run);
    return inTurn(async () => {
      const ledger = file.read();
      return { version: ledger.version, events: ledger.events.slice(version) };
    });
  }

  return {
    load: (run) => loadSince(run, 0),
    loadSince,

    async append(run, expectedVersion, events) {
      const { file, inTurn } = ledgerOf(run);
      return inTurn(async () => {
        try {
          // Ledgers only grow, so who is late already needs no lock to be told.
          const { version } = file.read();
          if (version !== expectedVersion) return { kind: "conflict", version };
          return await underLock(root, run, () => file.append(expectedVersion, events));
        } catch (error) {
          throw explainFailedWrite(root, run, error);
        }
      });
    },

    async list() {
      const runs: RunId[] = [];
      for (const name of await namesIn(root)) {
        if (isId(name) && hasBatch(ledgerPath(root, name))) runs.push(name);
      }
      return runs;
    },

    watch(run, onChange) {
      const unwatch = watchLedger(ledgerPath(root, run), onChange);
      watches.add(unwatch);
      return () => {
        watches.delete(unwatch);
        unwatch();
      };
    },

    async remove(run) {
      const { inTurn } = ledgerOf(run);
      await inTurn(() => removeRun(root, run));
    },

    async close() {
      for (const unwatch of watches) unwatch();
      watches.clear();
      await Promise.all(Array.from(ledgers.values(), ({ inTurn }) => inTurn(async () => {})));
    },
  };
}

async function underLock(
  root: string,
  run: RunId,
  work: () => Promise<AppendOutcome>,
): Promise<AppendOutcome> {
  const lock = (await lockLedger(root, run)) ?? (await lockInNewFolder(root, run));
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

/** null when the run has no folder. */
async function lockLedger(root: string, run: RunId): Promise<FileLock | null> {
  const options = { what: `The ledger of run ${run}`, timeoutMs: LOCK_TIMEOUT_MS };
  return waitForLock(join(runFolder(root, run), "events.lock"), options).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw error;
    },
  );
}

async function lockInNewFolder(root: string, run: RunId): Promise<FileLock> {
  for (;;) {
    await mkdir(runFolder(root, run), { recursive: true });
    // Another process may remove the run again at this moment.
    const lock = await lockLedger(root, run);
    if (lock !== null) return lock;
  }
}

/** The run is gone with one rename; a crash behind it leaves a folder that no run has the name of. */
async function removeRun(root: string, run: RunId): Promise<void> {
  const lock = await lockLedger(root, run);
  if (lock !== null) {
    try {
      await rename(runFolder(root, run), join(root, `${REMOVED}${run}-${randomUUID()}`));
    } finally {
      await lock.release();
    }
  }
  const leftovers = (await namesIn(root)).filter((name) => name.startsWith(REMOVED));
  for (const name of leftovers) await rm(join(root, name), { recursive: true, force: true, maxRetries: 3 });
}

async function namesIn(root: string): Promise<string[]> {
  const names = await readdir(root).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return names.sort();
}

function explainFailedWrite(root: string, run: RunId, error: unknown): Error {
  if (error instanceof UserError || error instanceof InternalError) return error;
  const code = (error as NodeJS.ErrnoException).code ?? "";
  const mend = ["ENOSPC", "EDQUOT"].includes(code)
    ? "Free some disk space"
    : `See that ${root} can be written`;
  return new UserError(`Failed to write the ledger of run ${run}: ${messageOf(error)}`, {
    next: `${mend}, then go on with \`loom resume ${run}\`.`,
    cause: error,
  });
}

type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/** Lets one piece of work in at a time, in the order of arrival. */
function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
}
