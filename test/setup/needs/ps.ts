import { ensureProgram } from "../ensure-program.ts";

export function setup(): void {
  ensureProgram("ps", "procps");
}
