import { type FSWatcher, type Stats, statSync, watch } from "node:fs";
import { dirname } from "node:path";
import type { Unwatch } from "../../ports/ledger-store.ts";

const POLL_MS = 1000;

/**
 * Tells when a ledger has changed, whoever changed it, also when it, or the folder of all ledgers, is yet to come.
 * The operating system's notice makes it quick; it may be unavailable or get lost, so a slow look makes it sure. Both
 * only lead to a look at the file. Neither keeps the process alive.
 */
export function watchLedger(path: string, onChange: () => void): Unwatch {
  const folder = dirname(path);
  let seen = stampOf(path);
  let watched: { readonly place: string; readonly watcher: FSWatcher } | null = null;

  function look(): void {
    follow();
    const stamp = stampOf(path);
    if (stamp === seen) return;
    seen = stamp;
    onChange();
  }

  /** Watches the ledger's folder, or the nearest one above it that is there; a removed ledger's successor, too. */
  function follow(): void {
    let target = folder;
    while (identityOf(target) === null && target !== dirname(target)) target = dirname(target);
    const place = `${target} ${identityOf(target)}`;
    if (place === watched?.place) return;
    watched?.watcher.close();
    watched = null;
    try {
      const watcher = watch(target, { persistent: false }, look);
      watcher.on("error", () => watcher.close());
      watched = { place, watcher };
    } catch {
      // Gone again, or the system has no watches left: the timer has to do.
      return;
    }
    // A folder may have come into being before the watch above it did.
    follow();
  }

  follow();
  const timer = setInterval(look, POLL_MS).unref();
  return () => {
    clearInterval(timer);
    watched?.watcher.close();
  };
}

function stampOf(path: string): string | null {
  const stats = statOf(path);
  return stats && `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
}

function identityOf(folder: string): number | null {
  return statOf(folder)?.ino ?? null;
}

function statOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}
