import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";

export type ProcessRow = {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  readonly started: number;
  readonly residentBytes: number;
};

// The kernel counts in pages; all systems that Loom is built for have such ones, and larger ones only make it milder.
const PAGE_BYTES = 4096;
const buffer = Buffer.allocUnsafe(4096);

/** All living processes, by one short read each; empty where the system does not tell. */
export function readProcessTable(): Map<number, ProcessRow> {
  const rows = new Map<number, ProcessRow>();
  for (const name of list("/proc")) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    const row = readRow(pid);
    if (row) rows.set(pid, row);
  }
  return rows;
}

/** The roots, all that is in their sessions, also when it lost its parent, and all that descends from these. */
export function descendants(
  rows: ReadonlyMap<number, ProcessRow>,
  roots: readonly number[],
): readonly ProcessRow[] {
  const children = new Map<number, ProcessRow[]>();
  for (const row of rows.values()) {
    const siblings = children.get(row.parent);
    if (siblings) siblings.push(row);
    else children.set(row.parent, [row]);
  }
  const found = new Map<number, ProcessRow>();
  const sessions = new Set(roots);
  for (const row of rows.values()) {
    if (sessions.has(row.pid) || sessions.has(row.session)) found.set(row.pid, row);
  }
  // What is added while a Map is gone through is gone through as well.
  for (const pid of found.keys()) {
    for (const child of children.get(pid) ?? []) found.set(child.pid, child);
  }
  return [...found.values()];
}

/** Its share of memory when what it has in common with others is split among them; null when it is gone. */
export function proportionalBytes(pid: number): number | null {
  try {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "latin1");
    const kilobytes = /^Pss:\s+(\d+) kB/m.exec(rollup)?.[1];
    return kilobytes === undefined ? null : Number(kilobytes) * 1024;
  } catch {
    return null;
  }
}

/** With the pid it names one process for good; null when there is none. */
export function startOf(pid: number): number | null {
  return readRow(pid)?.started ?? null;
}

export function commandLineOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

function readRow(pid: number): ProcessRow | null {
  const text = readStart(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The name of the program may hold blanks and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  if (fields[0] === "Z" || fields[0] === "X") return null;
  return {
    pid,
    parent: Number(fields[1]),
    session: Number(fields[3]),
    started: Number(fields[19]),
    residentBytes: Number(fields[21]) * PAGE_BYTES,
  };
}

function readStart(path: string): string | null {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return null;
  }
  try {
    return buffer.toString("latin1", 0, readSync(file, buffer, 0, buffer.length, null));
  } catch {
    return null;
  } finally {
    closeSync(file);
  }
}

function list(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
