import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";

/** Goes down folder by folder, so that no path is too long for it. */
const SCRIPT = 'chmod -R u+rwX "$1" 2>/dev/null; exec rm -rf "$1"';

/**
 * Removes what programs have lived in. They may have taken away their own rights to a folder, or put folders into each other
 * until no path leads to the last one; Node gives up on both. Links are removed and never followed.
 */
export async function removeFolder(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 20 });
  } catch {
    await promisify(execFile)("/bin/sh", ["-c", SCRIPT, "sh", path], { env: { PATH: "/usr/bin:/bin" } });
  }
}
