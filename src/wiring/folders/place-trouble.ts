import { mkdtempSync, rmdirSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { UserError } from "../../core/errors.ts";
import { systemReason } from "../system-reason.ts";

/** What speaks against making this folder, or things in it when it is there; null when nothing does. Leaves nothing behind. */
export async function findPlaceTrouble(folder: string): Promise<string | null> {
  const existing = await nearestExisting(folder);
  if (!(await stat(existing)).isDirectory()) return `${existing} is not a folder.`;
  const reason = findFolderTrouble(existing);
  return reason === null ? null : `${existing} can't be written to: ${reason}.`;
}

/** Why nothing can be made in a folder; null when something can. */
export function findFolderTrouble(folder: string): string | null {
  try {
    // To ask for rights is not enough: root has them all in `/proc`, where Node would try for ever to make a folder.
    rmdirSync(mkdtempSync(join(folder, ".loom-")));
    return null;
  } catch (error) {
    return systemReason(error);
  }
}

/** `what` is named in the plural, such as "Work trees". */
export async function assertPlace(what: string, folder: string, next: string): Promise<void> {
  const trouble = await findPlaceTrouble(folder);
  if (trouble !== null) throw new UserError(`${what} can't stand in ${folder}: ${trouble}`, { next });
}

async function nearestExisting(path: string): Promise<string> {
  try {
    await stat(path);
    return path;
  } catch {
    const parent = dirname(path);
    return parent === path ? path : nearestExisting(parent);
  }
}
