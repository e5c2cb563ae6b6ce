import { randomBytes } from "node:crypto";
import { lstatSync, readlinkSync, symlinkSync, unlinkSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod";
import { StoreTrouble } from "../../core/errors.ts";
import type { Timestamp } from "../../core/ids.ts";
import { isRunning, ownIdentity } from "./process-identity.ts";

/**
 * A lock between processes of one machine that outlives none of them: the lock of a process that died, also by kill -9,
 * is free at once. Time plays no part in it, so neither a slow disk nor a wrong clock can give it to two.
 *
 * The lock is a symbolic link whose target is the holder's record. Making a link is one exclusive step that either
 * leaves the whole record or nothing; a file made with O_EXCL is empty for a moment, and stays so after a kill.
 *
 * Breaking a dead holder's lock is the delicate part: between "the holder is dead" and "remove its lock" somebody else
 * may have done both and taken the lock. So whoever breaks a lock first takes a claim to do so, named after the token
 * of the dead holder and numbered. While that lock stands no claim to it is removed, and a claim is passed over, by
 * taking the next number, only when the one who made it is dead. So at most one living process may remove it, and one
 * that comes late finds another token in the lock and leaves it alone.
 *
 * A lock that is `shared` may lie in a folder that several machines work in, where a process id says nothing about a holder
 * elsewhere. There time has to decide: a lock is taken over once it is older than any work that it is for. So that work must
 * be able to stand a repetition, and ledgers, runs and data folders are never locked like that.
 *
 * The calls are synchronous: making, reading and removing a link take microseconds, a trip to the thread pool more.
 */
export type LockOutcome =
  | { readonly kind: "acquired"; release(): Promise<void> }
  | { readonly kind: "held"; readonly by: LockHolder };

export type FileLock = Extract<LockOutcome, { kind: "acquired" }>;
export type LockHolder = { readonly pid: number; readonly since: Timestamp };

export type Shared = {
  /** Well above what the work takes: a holder that is at it for longer loses the lock, dead or not. */
  readonly takeOverMs: number;
};

export type LockOptions = {
  readonly now?: () => number;
  /** null: all who ask for it run on this machine. */
  readonly shared?: Shared | null;
};

export type WaitOptions = Pick<LockOptions, "shared"> & {
  /** What is locked, as the subject of a sentence. */
  readonly what: string;
  readonly timeoutMs: number;
  readonly sleep?: (ms: number) => Promise<unknown>;
};

// Short, because common file systems keep a target below 60 bytes in the inode itself.
const recordSchema = z
  .tuple([z.int(), z.string().nullable(), z.int(), z.string(), z.string().optional()])
  .transform(([pid, start, since, token, host]) => ({ pid, start, since, token, host: host ?? null }));
type LockRecord = z.infer<typeof recordSchema>;

// Records appear whole, so this is what a power cut or a person left. Nobody holds it.
const UNREADABLE: LockRecord = { pid: 0, start: null, since: 0, token: "unreadable", host: null };
const LONGEST_PAUSE_MS = 10;

export async function tryLock(
  path: string,
  { now = Date.now, shared = null }: LockOptions = {},
): Promise<LockOutcome> {
  const token = randomBytes(6).toString("base64url");
  const host = shared === null ? null : hostname();
  const mine: LockRecord = { ...(await ownIdentity()), since: now(), token, host };
  for (;;) {
    if (create(path, mine)) return { kind: "acquired", release: async () => release(path, mine) };
    const other = readRecord(path);
    if (other === null) continue;
    if (await isHeld(path, other, shared)) return { kind: "held", by: holderIn(other) };
    const breaker = await breakLock(path, { dead: other, mine, shared });
    if (breaker !== null) return { kind: "held", by: holderIn(breaker) };
  }
}

/** For locks that are held for moments. Throws a StoreTrouble that names the holder when the time is up. */
export async function waitForLock(path: string, options: WaitOptions): Promise<FileLock> {
  const sleep = options.sleep ?? pause;
  let waited = 0;
  for (let ms = 1; ; ms = Math.min(ms * 2, LONGEST_PAUSE_MS)) {
    const outcome = await tryLock(path, options.shared === undefined ? {} : { shared: options.shared });
    if (outcome.kind === "acquired") return outcome;
    if (waited >= options.timeoutMs) {
      const { pid, since } = outcome.by;
      throw new StoreTrouble(`${options.what} is locked by process ${pid} since ${since}.`, {
        next: `Wait until process ${pid} is done, or end it, then try again.`,
      });
    }
    await sleep(ms);
    waited += ms;
  }
}

const SHARED: Shared = { takeOverMs: 30_000 };

/** Runs work of moments, which can stand a repetition, while nobody else who asks for the lock does. Makes the folder. */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T>,
  shared: Shared = SHARED,
): Promise<T> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const lock = await waitForLock(path, { what: path, timeoutMs: Number.POSITIVE_INFINITY, shared });
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

/** Who holds the lock now, or null. */
export async function holderOf(path: string): Promise<LockHolder | null> {
  const record = readRecord(path);
  return record !== null && (await isRunning(record)) ? holderIn(record) : null;
}

function release(path: string, mine: LockRecord): void {
  // The folder may have been removed and made anew meanwhile, with somebody else's lock in it.
  const record = readRecord(path);
  if (record?.token === mine.token) remove(path);
}

/** Removes the lock of a dead holder; resolves with the living process that is about to do so, if there is one. */
async function breakLock(
  path: string,
  { dead, mine, shared }: { dead: LockRecord; mine: LockRecord; shared: Shared | null },
): Promise<LockRecord | null> {
  const claims: string[] = [];
  for (;;) {
    const claim = `${path}.${dead.token}.${claims.length}`;
    claims.push(claim);
    if (create(claim, mine)) break;
    const breaker = readRecord(claim);
    if (breaker === null) return null;
    if (await isHeld(claim, breaker, shared)) return breaker;
  }
  const record = readRecord(path);
  if (record?.token === dead.token) remove(path);
  for (const claim of claims) remove(claim);
  return null;
}

/** `record`: what stood there, so that a lock which took its place since then is looked at as younger than it is, never older. */
async function isHeld(path: string, record: LockRecord, shared: Shared | null): Promise<boolean> {
  if (shared === null) return isRunning(record);
  if (ageOf(path) >= shared.takeOverMs) return false;
  return (record.host !== null && record.host !== hostname()) || isRunning(record);
}

/** By the clock of the disk, which all who share it go by. */
function ageOf(path: string): number {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined ? 0 : Date.now() - found.mtimeMs;
}

function create(path: string, { pid, start, since, token, host }: LockRecord): boolean {
  try {
    symlinkSync(JSON.stringify([pid, start, since, token, ...(host === null ? [] : [host])]), path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

function readRecord(path: string): LockRecord | null {
  try {
    const parsed = recordSchema.safeParse(JSON.parse(readlinkSync(path)));
    return parsed.success ? parsed.data : UNREADABLE;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return null;
    if (code === "EINVAL" || error instanceof SyntaxError) return UNREADABLE;
    throw error;
  }
}

function holderIn(record: LockRecord): LockHolder {
  return { pid: record.pid, since: new Date(record.since).toISOString() };
}
