import { onStage, withLease } from "../drive.ts";
import { pickRunId } from "../input/pick-run.ts";
import type { Io } from "../io.ts";
import { assertOver, discard, loadIfReadable } from "../local-runs.ts";

/** `loom clean`: forgets a run that has ended, or one whose ledger can't be read any more. What it merged stays. */
export async function clean(io: Io, name: string): Promise<number> {
  return onStage(io, { json: false, starts: "nobody" }, async ({ local, output }) => {
    const id = await pickRunId(local.engine, name);
    return withLease(local, id, async () => {
      const run = await loadIfReadable(local, id);
      if (run) assertOver(run);
      await discard(local, id, run?.target ?? local.repository.currentBranch ?? "HEAD");
      output.note(`Forgot ${id}. What it merged stays.`);
      return 0;
    });
  });
}
