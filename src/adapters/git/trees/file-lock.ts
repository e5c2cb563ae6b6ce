import { randomUUID } from "node:crypto";
import { link, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/**
 * Runs work while no other process that asks for the same lock does. For work that takes well below a second and can
 * stand a repetition: a lock whose owner is dead, or that is older than any such work, is taken over, and two that take
 * over at the same moment can, rarely, both believe to hold it. Node has no lock that the system would release.
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const owner = `${hostname()} ${process.pid} ${randomUUID()}\n`;
  while (!(await acquire(path, owner))) {
    await dropIfAbandoned(path);
    await delay(5 + Math.random() * 15);
  }
  try {
    return await work();
  } finally {
    if ((await readOrNull(path)) === owner) await rm(path, { force: true });
  }
}

const TOO_OLD_MS = 30_000;

/** By a link to a finished file, so that a lock is never seen without its owner. */
async function acquire(path: string, owner: string): Promise<boolean> {
  const own = `${path}.${randomUUID().slice(0, 8)}`;
  try {
    await writeFile(own, owner, { flag: "wx", mode: 0o600 });
    await link(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(own, { force: true });
  }
}

async function dropIfAbandoned(path: string): Promise<void> {
  const seen = await readOrNull(path);
  if (seen === null) return;
  const age = Date.now() - ((await stat(path).catch(() => null))?.mtimeMs ?? Date.now());
  if (age < TOO_OLD_MS && !isDead(seen)) return;
  // Moved first: what was moved can be looked at without anybody changing it meanwhile.
  const aside = `${path}.${randomUUID().slice(0, 8)}.old`;
  await rename(path, aside).catch(() => undefined);
  const moved = await readOrNull(aside);
  if (moved !== null && moved !== seen) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

/** Process numbers mean something on their own machine only. */
function isDead(owner: string): boolean {
  const [host, pid] = owner.split(" ");
  if (host !== hostname() || !/^\d+$/.test(pid ?? "")) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}

async function readOrNull(path: string): Promise<string | null> {
  return readFile(path, "utf8").catch(() => null);
}
