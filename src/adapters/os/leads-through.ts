import { lstatSync, readlinkSync } from "node:fs";
import { isAbsolute, resolve, sep } from "node:path";
import { isWithin } from "./is-within.ts";

/** As many links as the kernel follows. */
const MOST_LINKS = 40;

/**
 * Whether the way to a file touches one of these folders, which are given without links. Where the way ends is not enough:
 * a link on it that lies in such a folder can lead elsewhere a moment later.
 */
export function leadsThrough(path: string, folders: readonly string[]): boolean {
  let parts = namesIn(path);
  let at = "/";
  let links = 0;
  while (parts.length > 0) {
    const [part = "", ...rest] = parts;
    const next = resolve(at, part);
    if (folders.some((folder) => isWithin(next, folder))) return true;
    parts = rest;
    const target = targetOf(next);
    if (target === null) {
      at = next;
      continue;
    }
    links += 1;
    // Whoever builds such a thing wants something.
    if (links > MOST_LINKS) return true;
    parts = [...namesIn(target), ...rest];
    if (isAbsolute(target)) at = "/";
  }
  return false;
}

function namesIn(path: string): string[] {
  return path.split(sep).filter((part) => part !== "");
}

function targetOf(path: string): string | null {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : null;
  } catch {
    return null;
  }
}
