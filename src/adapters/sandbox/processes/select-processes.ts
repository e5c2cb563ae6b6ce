import type { ProcessEntry } from "./process-entry.ts";

/** By what the processes of one session are known. Each trait finds some that the others miss. */
export type Kin = {
  /** Found in the environment: also of those that left for a session of their own and lost their parent. */
  readonly marker: string | null;
  readonly owner: string | null;
  /** The program itself. It leads a group and a session, which also those with a cleared environment stay in. */
  readonly leader: { readonly pid: number; readonly started: number | null } | null;
  /** Seen before as descendants, pid to start: also those that cleared their environment, left and lost their parent. */
  readonly known: ReadonlyMap<number, number>;
};

/**
 * Which of the living processes belong to a session. A pid alone proves nothing, since it may have been used again:
 * a process is recognised together with its start, and a leader's number counts only while it is not someone else's.
 */
export function selectProcesses(
  entries: readonly ProcessEntry[],
  kin: Kin,
  never: ReadonlySet<number>,
): ProcessEntry[] {
  const leader = usableLeader(entries, kin);
  const chosen = new Map<number, ProcessEntry>();
  for (const entry of entries) {
    if (isKin(entry, kin, leader) && !never.has(entry.pid)) chosen.set(entry.pid, entry);
  }
  if (chosen.size === 0) return [];
  for (let grown = true; grown; ) {
    grown = false;
    for (const entry of entries) {
      if (chosen.has(entry.pid) || never.has(entry.pid)) continue;
      const parent = chosen.get(entry.parent);
      // A child older than its parent is the child of an earlier owner of that pid.
      if (!parent || entry.started < parent.started) continue;
      chosen.set(entry.pid, entry);
      grown = true;
    }
  }
  return [...chosen.values()];
}

function isKin(entry: ProcessEntry, kin: Kin, leader: number | null): boolean {
  if (kin.marker !== null && entry.marker === kin.marker) return true;
  if (kin.owner !== null && entry.owner === kin.owner) return true;
  if (kin.known.get(entry.pid) === entry.started) return true;
  return leader !== null && (entry.group === leader || entry.session === leader);
}

/**
 * The kernel gives a pid to nobody while a group or session of that number has members. So another process under the
 * leader's pid proves that the leader's group is empty, and that a group of that number is a stranger's.
 */
function usableLeader(entries: readonly ProcessEntry[], kin: Kin): number | null {
  if (kin.leader === null) return null;
  const { pid, started } = kin.leader;
  const holder = entries.find((entry) => entry.pid === pid);
  return holder && started !== null && holder.started !== started ? null : pid;
}
