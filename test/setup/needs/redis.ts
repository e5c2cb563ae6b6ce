import { provideProgram } from "../ensure-program.ts";

export function setup(): void {
  provideProgram("redis-server", "redis-server");
}
