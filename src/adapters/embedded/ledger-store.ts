import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { z } from "zod";
import { InternalError, messageOf, StoreTrouble, UserError } from "../../core/errors.ts";
import { isId } from "../../core/ids.ts";
import type { LedgerWords } from "../../core/report/audit/ledger-words.ts";
import type { AppendOutcome, Ledger, LedgerStore } from "../../ports/ledger-store.ts";
import { type FileLock, waitForLock } from "../os/file-lock.ts";
import { createBatchLines } from "./batch-line.ts";
import { createLedgerFile, hasBatch, type LedgerFile } from "./ledger-file.ts";
import { ledgerFolder, ledgerPath } from "./ledger-folder.ts";
import { createLedgerWatches } from "./ledger-watches.ts";

const LOCK_TIMEOUT_MS = 10_000;
const REMOVED = ".removed-";

export type EmbeddedLedgers<E> = {
  readonly root: string;
  readonly schema: z.ZodType<E>;
  readonly words: LedgerWords;
};

/** Where one ledger is, and what it is called. */
type Place = {
  readonly folder: string;
  readonly root: string;
  readonly id: string;
  readonly words: LedgerWords;
};

/**
 * Ledgers as files: `<root>/<id>/events.jsonl`. Any number of processes of one machine may read and append; appends
 * are serialised by a lock beside the file. An append that was acknowledged is on the disk.
 */
export function createEmbeddedLedgerStore<E>({ root, schema, words }: EmbeddedLedgers<E>): LedgerStore<E> {
  const lines = createBatchLines(schema);
  const ledgers = new Map<string, { readonly file: LedgerFile<E>; readonly inTurn: Turns }>();
  const watches = createLedgerWatches();
  const pathOf = (id: string): string => ledgerPath(root, id, words);
  const placeOf = (id: string): Place => ({ folder: ledgerFolder(root, id, words), root, id, words });

  function ledgerOf(id: string) {
    const path = pathOf(id);
    const ledger = ledgers.get(id) ?? {
      file: createLedgerFile({ path, lines, words }),
      inTurn: createTurns(),
    };
    ledgers.set(id, ledger);
    return ledger;
  }

  async function loadSince(id: string, version: number): Promise<Ledger<E>> {
    const { file, inTurn } = ledgerOf(id);
    return inTurn(async () => {
      const ledger = file.read();
      return { version: ledger.version, events: ledger.events.slice(version) };
    });
  }

  return {
    load: (id) => loadSince(id, 0),
    loadSince,

    async append(id, expectedVersion, events) {
      const { file, inTurn } = ledgerOf(id);
      const place = placeOf(id);
      return inTurn(async () => {
        try {
          // Ledgers only grow, so who is late already needs no lock to be told.
          const { version } = file.read();
          if (version !== expectedVersion) return { kind: "conflict", version };
          return await underLock(place, () => file.append(expectedVersion, events));
        } catch (error) {
          throw explainFailedWrite(place, error);
        }
      });
    },

    async list() {
      return (await namesIn(root)).filter((name) => isId(name) && hasBatch(pathOf(name)));
    },

    watch: (id, onChange) => watches.watch(pathOf(id), onChange),

    async remove(id) {
      const { inTurn } = ledgerOf(id);
      await inTurn(() => removeLedger(placeOf(id)));
    },

    async close() {
      watches.close();
      await Promise.all(Array.from(ledgers.values(), ({ inTurn }) => inTurn(async () => {})));
    },
  };
}

async function underLock(place: Place, work: () => Promise<AppendOutcome>): Promise<AppendOutcome> {
  const lock = (await lockLedger(place)) ?? (await lockInNewFolder(place));
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

/** null when there is no folder. */
async function lockLedger({ folder, id, words }: Place): Promise<FileLock | null> {
  const options = { what: `The ledger of ${words.one} ${id}`, timeoutMs: LOCK_TIMEOUT_MS };
  return waitForLock(join(folder, "events.lock"), options).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
}

async function lockInNewFolder(place: Place): Promise<FileLock> {
  for (;;) {
    await mkdir(place.folder, { recursive: true, mode: 0o700 });
    // Another process may remove it again at this moment.
    const lock = await lockLedger(place);
    if (lock !== null) return lock;
  }
}

/** It is gone with one rename; a crash behind it leaves a folder that no ledger has the name of. */
async function removeLedger(place: Place): Promise<void> {
  const { folder, root, id } = place;
  const lock = await lockLedger(place);
  if (lock !== null) {
    try {
      await rename(folder, join(root, `${REMOVED}${id}-${randomUUID()}`));
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

function explainFailedWrite({ root, id, words }: Place, error: unknown): Error {
  if (error instanceof UserError || error instanceof InternalError) return error;
  const code = (error as NodeJS.ErrnoException).code ?? "";
  const fix = ["ENOSPC", "EDQUOT"].includes(code)
    ? "Free some disk space"
    : `See that ${root} can be written`;
  return new StoreTrouble(`Failed to write the ledger of ${words.one} ${id}: ${messageOf(error)}`, {
    next: `${fix}, then ${words.goOn(id)}`,
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
