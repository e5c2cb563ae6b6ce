import { delimiter, resolve } from "node:path";
import { ensureProgram, isThere } from "../ensure-program.ts";

/** What Loom and the agents of tests take from the system. */
export function setup(): void {
  ensureProgram("git", "git");
  // macOS has none. Behind all others on the PATH, which every process of the tests inherits.
  if (!isThere("setsid")) process.env.PATH += delimiter + resolve(import.meta.dirname, "../stand-ins");
  ensureProgram("setsid", "util-linux");
}
