import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { messageOf, UserError } from "../core/errors.ts";

/** What speaks against work trees in this folder, which need not exist yet; null when nothing does. Changes nothing. */
export async function findTreesTrouble(folder: string): Promise<string | null> {
  const existing = await nearestExisting(folder);
  if (!(await stat(existing)).isDirectory()) return `${existing} is not a folder.`;
  try {
    await access(existing, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return `${existing} can't be written to: ${messageOf(error)}.`;
  }
}

export const CHOOSE_TREES = "Set LOOM_TREES to a folder that you may write to.";

export async function assertTreesFolder(folder: string): Promise<void> {
  const trouble = await findTreesTrouble(folder);
  if (trouble !== null)
    throw new UserError(`Work trees can't stand in ${folder}: ${trouble}`, { next: CHOOSE_TREES });
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
