import { mkdirSync } from "node:fs";
import { dirname } from "node:path";

/** More processes than ever end in the same moment. */
const ROUNDS = 5;

/**
 * Makes a folder and what is missing above it, where other processes take empty folders away. Node's own way fails when
 * one goes that was there a moment ago, and never ends below a folder such as `/proc`, which is there and takes nothing.
 */
export function makeFolder(path: string): void {
  for (let round = 1; ; round += 1) {
    try {
      mkdirSync(path, { mode: 0o700 });
      return;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EEXIST") return;
      if (code !== "ENOENT" || round === ROUNDS || dirname(path) === path) throw error;
      makeFolder(dirname(path));
    }
  }
}
