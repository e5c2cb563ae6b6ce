import { type ShellWord, UNKNOWN } from "./shell-script.ts";

/**
 * The program that a word names, without its folder; null when only the running shell knows. In small letters, because
 * some file systems find `RM` too.
 */
export function programName(word: ShellWord | undefined): string | null {
  if (!word) return null;
  const name = word.text.slice(word.text.lastIndexOf("/") + 1).trim();
  return name.includes(UNKNOWN) || (word.expands && /[*?[{]/.test(name)) ? null : name.toLowerCase();
}
