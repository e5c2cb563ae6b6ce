import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { hostPrograms } from "./host-programs.ts";

/**
 * A process id alone says little: ids are used again, in containers within minutes. The start time beside it makes it
 * the name of one process. `start` is null where it can't be read; then the id alone has to do.
 */
export type ProcessIdentity = { readonly pid: number; readonly start: string | null };

const run = promisify(execFile);
let self: Promise<ProcessIdentity> | null = null;

export function ownIdentity(): Promise<ProcessIdentity> {
  self ??= identifyProcess(process.pid).then((found) => found ?? { pid: process.pid, start: null });
  return self;
}

export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  // Where there is no /proc, looking costs a process.
  const found = identity.pid === process.pid ? await ownIdentity() : await identifyProcess(identity.pid);
  if (found === null) return false;
  return found.start === null || identity.start === null || found.start === identity.start;
}

/** null when no such process runs. A zombie runs no more, even if nobody has collected it. */
export async function identifyProcess(pid: number): Promise<ProcessIdentity | null> {
  if (!exists(pid)) return null;
  const status = process.platform === "linux" ? await statusFromProc(pid) : await statusFromPs(pid);
  if (status === null) return { pid, start: null };
  return /^[ZX]/.test(status.state) ? null : { pid, start: status.start };
}

type Status = { readonly state: string; readonly start: string };

function exists(pid: number): boolean {
  // 0 and negative ids name groups.
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, and belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function statusFromProc(pid: number): Promise<Status | null> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  if (stat === null) return null;
  // The second field is the program's name in parentheses and may hold anything, so we count from its end.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, start] = [fields[0], fields[19]];
  return state && start ? { state, start } : null;
}

/** For systems without /proc. */
export async function statusFromPs(pid: number): Promise<Status | null> {
  // The start is printed in the local language and zone, which may differ between the two who ask.
  const env = { LC_ALL: "C", TZ: "UTC" };
  const args = ["-o", "stat=", "-o", "lstart=", "-p", String(pid)];
  const ps = hostPrograms().find("ps");
  const output = ps.kind === "found" ? await run(ps.path, args, { env }).catch(() => null) : null;
  const match = /^\s*(\S+)\s+(\S.*\S)\s*$/.exec(output?.stdout ?? "");
  return match?.[1] && match[2] ? { state: match[1], start: match[2] } : null;
}
