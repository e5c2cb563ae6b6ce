import { hidesCharacters } from "../paths/deceptive-name.ts";
import { foldName, isShortNameOf } from "../paths/fold-path.ts";

/** Far more than people name, and little enough for every system, archive and page that shows it. */
export const MOST_PATH_BYTES = 500;
export const MOST_FOLDERS = 40;

/**
 * Why a path must not enter a repository, or null. Such a path means one thing to git here and another to git, a file
 * system or a reader elsewhere.
 */
export function badName(path: string): string | null {
  if (path.includes("\ufffd")) return "is not valid UTF-8";
  if (/[\u0000-\u001f\u007f-\u009f]/.test(path)) return "holds control characters";
  if (/[\u202a-\u202e\u2066-\u2069]/.test(path)) return "holds characters that reverse the direction of text";
  if (path.includes("\\")) return "holds a backslash, which is a separator on other systems";
  const names = path.split("/");
  if (names.some((name) => name === "" || name === "." || name === "..")) return "leaves its folder";
  if (names.some((name) => foldName(name) === ".git" || isShortNameOf(foldName(name), ".git"))) {
    return "would be read as a `.git` folder on some systems";
  }
  if (hidesCharacters(path)) return "holds characters that can't be seen";
  if (names.some((name) => /^ |[ .]$/.test(name)))
    return "begins with a space, or ends with a space or a dot, which some systems drop";
  if (names.length - 1 > MOST_FOLDERS) return `lies more than ${MOST_FOLDERS} folders deep`;
  if (byteLength(path) > MOST_PATH_BYTES) return `is longer than ${MOST_PATH_BYTES} bytes`;
  return null;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
