import { provideProgram } from "../ensure-program.ts";

export function setup(): void {
  provideProgram("strace", "strace");
}
