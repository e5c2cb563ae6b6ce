import { randomUUID } from "node:crypto";
import { constants, copyFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

/** Puts a file in place whole, over a link too and never through it: an agent may have left one where Loom writes. */
export function replaceFileSync(path: string, text: string): void {
  place(path, (temporary) => writeFileSync(temporary, text, { flag: "wx", mode: 0o600 }));
}

export function replaceWithCopySync(path: string, source: string): void {
  place(path, (temporary) => copyFileSync(source, temporary, constants.COPYFILE_EXCL));
}

function place(path: string, write: (temporary: string) => void): void {
  const temporary = `${path}.${randomUUID().slice(0, 8)}.new`;
  try {
    write(temporary);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
