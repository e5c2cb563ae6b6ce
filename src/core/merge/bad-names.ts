import { foldName, isShortNameOf } from "./fold-path.ts";

/**
 * Why a path must not enter a repository, or null. Such a path means one thing to git here and another to git, a file
 * system or a reader elsewhere.
 */
export function badName(path: string): string | null {
  if (path.includes("\ufffd")) return "is not valid UTF-8";
  if (/[\u0000-\u001f\u007f]/.test(path)) return "holds control characters";
  if (/[\u202a-\u202e\u2066-\u2069]/.test(path)) return "holds characters that reverse the direction of text";
  if (path.includes("\\")) return "holds a backslash, which is a separator on other systems";
  const names = path.split("/");
  if (names.some((name) => name === "" || name === "." || name === "..")) return "leaves its folder";
  if (names.some((name) => foldName(name) === ".git" || isShortNameOf(foldName(name), ".git"))) {
    return "would be read as a `.git` folder on some systems";
  }
  return null;
}
