import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Whole files or none: what is written goes to a file of its own first and gets its name in one step. A crash leaves at
 * most a file whose name begins with `DRAFT`, which nobody reads.
 */
const DRAFT = ".draft-";
const OLD_MS = 60 * 60 * 1000;

/** A name that any text can have, whatever characters it holds. */
export function fileNameFor(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

export function isDraft(name: string): boolean {
  return name.startsWith(DRAFT);
}

/** Takes the place of what was there. May be forgotten by a power cut, never halved. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const draft = await writeDraft(path, text);
  await rename(draft, path).catch((error) => discard(draft, error));
}

/** Takes away what crashes have left; a younger draft may be somebody's at work. */
export async function removeOldDrafts(folder: string, now: number): Promise<void> {
  for (const name of (await readdir(folder)).filter(isDraft)) {
    const path = join(folder, name);
    const stats = await stat(path).catch(() => null);
    if (stats !== null && now - stats.mtimeMs > OLD_MS) await rm(path, { force: true });
  }
}

async function writeDraft(path: string, text: string): Promise<string> {
  const folder = dirname(path);
  const draft = join(folder, `${DRAFT}${randomUUID()}`);
  await mkdir(folder, { recursive: true });
  const file = await open(draft, "wx", 0o600);
  try {
    await file.writeFile(text);
  } catch (error) {
    return await discard(draft, error);
  } finally {
    await file.close();
  }
  return draft;
}

async function discard(draft: string, error: unknown): Promise<never> {
  await rm(draft, { force: true });
  throw error;
}
