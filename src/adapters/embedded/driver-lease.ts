import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { RunId } from "../../core/ids.ts";
import type { DriverLease } from "../../ports/driver-lease.ts";
import { holderOf, tryLock } from "../os/file-lock.ts";
import { runFolder } from "./run-folder.ts";

/** A lock in the run's folder that its driver holds for as long as it drives. */
export function createDriverLease({ root, now }: { root: string; now?: () => number }): DriverLease {
  const lockOf = (run: RunId) => join(runFolder(root, run), "driver.lock");
  return {
    async acquire(run) {
      await mkdir(runFolder(root, run), { recursive: true });
      const outcome = await tryLock(lockOf(run), now === undefined ? {} : { now });
      return outcome.kind === "acquired" ? outcome : { kind: "held", ...outcome.by };
    },
    holder: async (run) => holderOf(lockOf(run)),
  };
}
