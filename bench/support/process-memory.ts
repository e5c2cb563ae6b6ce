import { readdirSync, readFileSync } from "node:fs";

export type ProcessMemory = { readonly pid: number; readonly name: string; readonly mb: number };

/** All that descend from a process, each with the memory that is its own: shared pages count in part. */
export function memoryBelow(root: number): ProcessMemory[] {
  const parents = new Map<number, number>();
  for (const entry of readdirSync("/proc")) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    const parent = /\) \S (\d+)/.exec(readOrEmpty(`/proc/${pid}/stat`))?.[1];
    if (parent !== undefined) parents.set(pid, Number(parent));
  }
  const isBelow = (pid: number): boolean => {
    for (let at = parents.get(pid); at !== undefined && at > 1; at = parents.get(at))
      if (at === root) return true;
    return false;
  };
  return [...parents.keys()].filter(isBelow).map((pid) => ({
    pid,
    name: readOrEmpty(`/proc/${pid}/comm`).trim(),
    mb: Number(/^Pss:\s+(\d+)/m.exec(readOrEmpty(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024,
  }));
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
