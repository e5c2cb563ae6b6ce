import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { ensureProgram } from "./ensure-program.ts";

/** Runs once before all tests: those that start `loom`, or a part of it, as a process of its own need the build. */
export function setup(): void {
  ensureProgram("git", "git");
  ensureProgram("setsid", "util-linux");
  ensureProgram("ps", "procps");
  const root = resolve(import.meta.dirname, "../..");
  execFileSync(
    process.execPath,
    [join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json"],
    {
      cwd: root,
      stdio: "inherit",
    },
  );
}
