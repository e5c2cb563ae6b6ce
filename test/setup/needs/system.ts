import { ensureProgram } from "../ensure-program.ts";

/** What Loom itself takes from the system. */
export function setup(): void {
  ensureProgram("git", "git");
  ensureProgram("setsid", "util-linux");
}
