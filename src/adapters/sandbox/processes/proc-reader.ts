import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { MARKER_VARIABLE, OWNER_VARIABLE, type ProcessEntry, type ProcessReader } from "./process-entry.ts";

/**
 * Processes as Linux shows them. Every exit of every program asks for this list, so it must be cheap: reading the two
 * files of one process takes about 35 µs, listing all pids of a machine about 100 µs. Most processes are older than
 * this reader and can't be Loom's; their pids are remembered for a second and passed over. Within that second such a
 * pid could only be used again if the machine started a whole cycle of pids, 32,768 or more.
 *
 * The calls are synchronous on purpose: through the thread pool the same work takes several times as long.
 */
export function createProcReader(): ProcessReader {
  const since = readStat("self")?.started ?? 0;
  const tooOld = new Set<number>();
  let tooOldUntil = 0;

  return {
    sweepMs: 250,
    startOf: (pid) => readStat(String(pid))?.started ?? null,
    async read({ everything }) {
      const now = performance.now();
      if (everything || now >= tooOldUntil) {
        tooOld.clear();
        tooOldUntil = now + 1000;
      }
      const entries: ProcessEntry[] = [];
      for (const name of readdirSync("/proc")) {
        const pid = Number(name);
        if (!Number.isInteger(pid) || tooOld.has(pid)) continue;
        const stat = readStat(name);
        if (!stat || stat.gone) continue;
        if (stat.kernel || stat.started < since) {
          tooOld.add(pid);
          if (stat.kernel || !everything) continue;
        }
        const environment = readWhole(`/proc/${name}/environ`);
        entries.push({
          pid,
          parent: stat.parent,
          group: stat.group,
          session: stat.session,
          started: stat.started,
          marker: environment === null ? null : readVariable(environment, MARKER_VARIABLE),
          owner: environment === null ? null : readVariable(environment, OWNER_VARIABLE),
          unsettled: environment === "" && stat.environmentEnd === "0" && !stat.headless,
        });
      }
      return entries;
    },
  };
}

const KERNEL_THREAD = 0x0020_0000;

/** The fields of /proc/<pid>/stat behind the program's name, which itself may hold blanks and parentheses. */
function readStat(pid: string) {
  const text = readWhole(`/proc/${pid}/stat`);
  if (!text) return null;
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  // A process whose first thread has ended looks like a zombie, although its other threads go on.
  const ended = fields[0] === "Z" || fields[0] === "X";
  const threads = Number(fields[17]);
  return {
    gone: ended && threads <= 1,
    headless: ended && threads > 1,
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    kernel: (Number(fields[6]) & KERNEL_THREAD) !== 0,
    started: Number(fields[19]),
    // 0 in the short moment of an exec, and for processes of other users; an emptied environment still has an end.
    environmentEnd: fields[48]?.trim(),
  };
}

let buffer = Buffer.allocUnsafe(64 * 1024);

/** null when the process is gone or not ours to look at. Latin-1, so that no byte is lost. */
function readWhole(path: string): string | null {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return null;
  }
  try {
    let length = 0;
    for (;;) {
      const read = readSync(file, buffer, length, buffer.length - length, null);
      if (read === 0) return buffer.toString("latin1", 0, length);
      length += read;
      if (length === buffer.length) {
        const larger = Buffer.allocUnsafe(buffer.length * 2);
        buffer.copy(larger);
        buffer = larger;
      }
    }
  } catch {
    return null;
  } finally {
    closeSync(file);
  }
}

/** Entries are delimited by NUL. */
function readVariable(environment: string, name: string): string | null {
  const wanted = `${name}=`;
  let from = 0;
  if (!environment.startsWith(wanted)) {
    const before = environment.indexOf(`\0${wanted}`);
    if (before < 0) return null;
    from = before + 1;
  }
  const end = environment.indexOf("\0", from);
  return environment.slice(from + wanted.length, end < 0 ? undefined : end);
}
