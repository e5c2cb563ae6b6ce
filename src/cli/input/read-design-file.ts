import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { dirname, resolve, sep } from "node:path";
import { readDesignRef } from "../../core/planning/design-ref.ts";

const MAX_BYTES = 512 * 1024;

export type DesignFile = {
  /** As the plan names it. */
  readonly ref: string;
  /** null: there is no such text file in the repository. */
  readonly text: string | null;
};

/** The design that a plan names; null: it names none. A plan may come from anybody, so nothing outside of the repository is read. */
export async function readDesignFile(
  plan: { readonly path: string; readonly text: string },
  root: string | null,
): Promise<DesignFile | null> {
  const ref = readDesignRef(plan.text);
  if (ref === null || root === null) return null;
  try {
    const path = await realpath(resolve(dirname(plan.path), ref));
    if (!path.startsWith(`${(await realpath(root)).replace(/[/\\]$/, "")}${sep}`)) return { ref, text: null };
    return { ref, text: await readPlainFile(path) };
  } catch {
    return { ref, text: null };
  }
}

async function readPlainFile(path: string): Promise<string | null> {
  // Does not wait for a pipe's other end.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const { size } = await file.stat().then((stats) => (stats.isFile() ? stats : { size: Number.NaN }));
    if (!(size <= MAX_BYTES)) return null;
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.readFile());
  } finally {
    await file.close();
  }
}
