import { MOST_FILES_NAMED } from "../config/change-limits.ts";

/** The changed files as an event holds them: the first ones by name, the rest as a number. */
export type NamedFiles = { files: string[]; moreFiles?: number };

export function namedFiles(files: readonly string[], uncounted = 0): NamedFiles {
  const more = Math.max(0, files.length - MOST_FILES_NAMED) + uncounted;
  const named = files.slice(0, MOST_FILES_NAMED);
  return more === 0 ? { files: named } : { files: named, moreFiles: more };
}
