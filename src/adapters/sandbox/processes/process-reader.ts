import { existsSync } from "node:fs";
import { createProcReader } from "./proc-reader.ts";
import type { ProcessReader } from "./process-entry.ts";
import { createPsReader } from "./ps-reader.ts";

export function createProcessReader(): ProcessReader {
  return existsSync("/proc/self/stat") ? createProcReader() : createPsReader();
}
