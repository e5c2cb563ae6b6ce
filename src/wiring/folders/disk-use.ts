import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { RunId } from "../../core/ids.ts";
import type { RunFiles } from "../../ports/run-files.ts";

export type DiskUse = {
  readonly ledgerBytes: number;
  readonly logBytes: number;
  /** Counted and not measured: they may hold all packages of a project. */
  readonly trees: number;
};

/** What Loom has of one repository: cheap enough to be told to whoever looks. */
export async function measureDisk(at: {
  readonly root: string;
  readonly runs: readonly RunId[];
  readonly files: RunFiles;
  /** Where the repository's work trees stand. */
  readonly trees: string;
}): Promise<DiskUse> {
  const sizes = at.runs.map((run) => join(at.root, run, "events.jsonl")).map(sizeOf);
  const logs = await at.files.kept();
  return {
    ledgerBytes: sizes.reduce((sum, size) => sum + size, 0),
    logBytes: logs.reduce((sum, { bytes }) => sum + bytes, 0),
    trees: namesIn(at.trees).flatMap((run) => namesIn(join(at.trees, run))).length,
  };
}

function sizeOf(file: string): number {
  return lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
