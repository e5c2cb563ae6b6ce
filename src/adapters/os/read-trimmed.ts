import { readFileSync } from "node:fs";

/** Of the small files that git keeps; null where it can't be read, for whatever reason. */
export function readTrimmed(file: string): string | null {
  try {
    return readFileSync(file, "utf8").trimEnd();
  } catch {
    return null;
  }
}
