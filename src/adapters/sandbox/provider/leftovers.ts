import { readFileSync, realpathSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { foldersIn } from "../../os/folders-in.ts";
import { pidScope } from "../../os/pid-scope.ts";
import { startOf } from "./limits/process-table.ts";
import { removeFolder } from "./remove-folder.ts";

const SANDBOX = /^r[0-9a-f]{12}$/;
const OWNER_FILE = "owner";
/** Far longer than any sandbox is open. */
const STALE_MS = 48 * 3_600_000;

const owner = z.object({
  /** Numbers of processes mean something only there. */
  where: z.string(),
  pid: z.int(),
  started: z.number().nullable(),
  /** A folder of the sandbox's that lies elsewhere. */
  elsewhere: z.string().nullable(),
});

/** Notes in a sandbox's folder who opened it, so that it can be told later whether anybody still needs it. */
export function noteOwner(folder: string, elsewhere: string | null): void {
  const note: z.infer<typeof owner> = {
    where: pidScope(),
    pid: process.pid,
    started: startOf(process.pid),
    elsewhere,
  };
  writeFileSync(join(folder, OWNER_FILE), JSON.stringify(note), { mode: 0o600 });
}

/**
 * Removes what a Loom that was killed left behind: its sandboxes' temporary files may be gigabytes. Others may be at work in the
 * same folder, on this machine or, where the disk is shared, on another one: what is theirs goes only when it is old.
 */
export async function removeLeftovers(folder: string): Promise<void> {
  for (const name of foldersIn(folder).filter((one) => SANDBOX.test(one))) {
    const path = join(folder, name);
    const note = readOwner(path);
    if (!isLeftBehind(path, note)) continue;
    if (note?.elsewhere?.startsWith(controlFolderStart())) await removeFolder(note.elsewhere).catch(() => {});
    await removeFolder(path).catch(() => {});
  }
}

/** How the names of control folders begin that lie elsewhere. */
export function controlFolderStart(): string {
  return join(realpathSync(tmpdir()), "loom-");
}

/** Whether whoever made the folder is gone; for the folders of others that can't be told from here, whether it is old. */
export function isLeftBehind(path: string, note = readOwner(path)): boolean {
  if (note?.where === pidScope() && note.started !== null) return startOf(note.pid) !== note.started;
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
