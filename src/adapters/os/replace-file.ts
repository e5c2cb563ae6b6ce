import { randomUUID } from "node:crypto";
import { constants, copyFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncFolder } from "./sync-folder.ts";

/**
 * Whole files or none: what is written goes to a draft beside the file and gets its name in one step. Whoever reads sees the
 * old text or the new one. When writing fails, on a full disk for one, the old text stays and the draft goes; a crash leaves
 * at most the draft, whose name says what it is.
 *
 * The file takes the place of a link and is never written through one: an agent may have left it where Loom writes. The draft
 * lies in the same folder, so that no move leads to another disk; the folder has to be there.
 *
 * Objects and refs of git are not written like this: git has its own names for what is unfinished, which it clears away, and
 * which are its locks.
 */
export type ReplaceOptions = {
  /** Of the file, as far as the process's mask lets it. The owner's alone unless told otherwise. */
  readonly mode?: number;
};

export type DurableOptions = ReplaceOptions & {
  /** It is on the disk when this resolves, for what can't be had again. Without it a power cut may take it back. */
  readonly durable?: boolean;
};

const OWNERS_ALONE = 0o600;

export async function replaceFile(
  path: string,
  text: string,
  { mode = OWNERS_ALONE, durable = false }: DurableOptions = {},
): Promise<void> {
  const draft = draftFor(path);
  try {
    const file = await open(draft, "wx", mode);
    try {
      await file.writeFile(text);
      if (durable) await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  if (durable) syncFolder(dirname(path));
}

export function replaceFileSync(
  path: string,
  text: string,
  { mode = OWNERS_ALONE }: ReplaceOptions = {},
): void {
  placeSync(path, (draft) => writeFileSync(draft, text, { flag: "wx", mode }));
}

/** With the rights of the file that it is a copy of. */
export function replaceWithCopySync(path: string, source: string): void {
  placeSync(path, (draft) => copyFileSync(source, draft, constants.COPYFILE_EXCL));
}

function placeSync(path: string, write: (draft: string) => void): void {
  const draft = draftFor(path);
  try {
    write(draft);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

const DRAFT = ".draft-";
const OLD_MS = 60 * 60 * 1000;

/** As short for a long name as for any other, which may have all the characters that a name can have. */
function draftFor(path: string): string {
  return join(dirname(path), `${DRAFT}${randomUUID()}`);
}

export function isDraft(name: string): boolean {
  return name.startsWith(DRAFT);
}

/** Takes away what crashes have left; a younger draft may be somebody's at work. */
export async function removeOldDrafts(folder: string, now: number): Promise<void> {
  for (const name of (await readdir(folder)).filter(isDraft)) {
    const path = join(folder, name);
    const stats = await stat(path).catch(() => null);
    if (stats !== null && now - stats.mtimeMs > OLD_MS) await rm(path, { force: true });
  }
}
