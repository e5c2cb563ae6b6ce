import { BROWSERS } from "../browsers.ts";
import { isThere, provideProgram } from "../ensure-program.ts";

export function setup(): void {
  if (!BROWSERS.some(isThere)) provideProgram("chromium", "chromium");
}
