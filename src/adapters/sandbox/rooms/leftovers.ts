import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { startOf } from "./process-table.ts";
import { removeFolder } from "./remove-folder.ts";

const ROOM = /^r[0-9a-f]{12}$/;
const OWNER_FILE = "owner";
/** Far longer than any room is open. */
const STALE_MS = 48 * 3_600_000;

const owner = z.object({
  /** Numbers of processes mean something only there. */
  where: z.string(),
  pid: z.int(),
  started: z.number().nullable(),
  /** A folder of the room's that lies elsewhere. */
  elsewhere: z.string().nullable(),
});

/** Notes in a room's folder who opened it, so that it can be told later whether anybody still needs it. */
export function noteOwner(folder: string, elsewhere: string | null): void {
  const note: z.infer<typeof owner> = {
    where: whereAmI(),
    pid: process.pid,
    started: startOf(process.pid),
    elsewhere,
  };
  writeFileSync(join(folder, OWNER_FILE), JSON.stringify(note), { mode: 0o600 });
}

/**
 * Removes what a Loom that was killed left behind: its rooms' temporary files may be gigabytes. Others may be at work in the
 * same folder, on this machine or, where the disk is shared, on another one: what is theirs goes only when it is old.
 */
export async function removeLeftovers(folder: string): Promise<void> {
  for (const name of listFolder(folder).filter((one) => ROOM.test(one))) {
    const path = join(folder, name);
    const note = readOwner(path);
    if (!isOver(path, note)) continue;
    if (note?.elsewhere?.startsWith(controlFolderStart())) await removeFolder(note.elsewhere).catch(() => {});
    await removeFolder(path).catch(() => {});
  }
}

/** How the names of control folders begin that lie elsewhere. */
export function controlFolderStart(): string {
  return join(realpathSync(tmpdir()), "loom-");
}

function isOver(path: string, note: z.infer<typeof owner> | null): boolean {
  if (note?.where === whereAmI() && note.started !== null) return startOf(note.pid) !== note.started;
  try {
    return Date.now() - statSync(path).mtimeMs > STALE_MS;
  } catch {
    return false;
  }
}

function readOwner(path: string): z.infer<typeof owner> | null {
  try {
    return owner.parse(JSON.parse(readFileSync(join(path, OWNER_FILE), "utf8")));
  } catch {
    return null;
  }
}

/** This start of this machine, and the container in it. */
function whereAmI(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return "";
  }
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
