import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pidScope } from "../../os/pid-scope.ts";

const NAME = /^op-([0-9a-f]{8})-(\d+)-/;
/** Far longer than any call takes. */
const STALE_MS = 48 * 3_600_000;

const cleaned = new Set<string>();

/**
 * A new folder for the files of one call. What a Loom that was killed left here is removed first, once per process: the diff
 * of a change may be large, and hold what was to be refused.
 */
export async function makeScratchFolder(parent: string): Promise<string> {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  if (!cleaned.has(parent)) {
    cleaned.add(parent);
    await removeLeftovers(parent);
  }
  return mkdtemp(join(parent, `op-${scopeMark()}-${process.pid}-`));
}

async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const path = join(parent, name);
    const [, scope, pid] = NAME.exec(name) ?? [];
    const isOver = scope === scopeMark() ? !isAlive(Number(pid)) : await isOld(path);
    if (isOver) await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

/** Short enough for a name. */
function scopeMark(): string {
  return createHash("sha256").update(pidScope()).digest("hex").slice(0, 8);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function isOld(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs > STALE_MS;
}
