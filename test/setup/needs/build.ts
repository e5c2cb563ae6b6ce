import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { once } from "../once.ts";

/** For tests that start `loom`, or a part of it, as a process of its own. */
export function setup(): void {
  once("build", () => {
    const root = resolve(import.meta.dirname, "../../..");
    // The script itself, since npm would take half a second more to start.
    execFileSync(process.execPath, [resolve(root, "build/bundle.mjs")], { cwd: root, stdio: "inherit" });
  });
}
