import { UserError } from "../../core/errors.ts";
import { onStage, withLease } from "../drive.ts";
import type { Io } from "../io.ts";
import { discard, loadIfReadable } from "../local-runs.ts";
import { pickRunId } from "../pick-run.ts";

/** `loom clean`: forgets a run that has ended, or one whose ledger can't be read any more. What it merged stays. */
export async function clean(io: Io, name: string): Promise<number> {
  return onStage(io, { json: false }, async ({ local, output }) => {
    const id = await pickRunId(local.engine, name);
    return withLease(local, id, async () => {
      const run = await loadIfReadable(local, id);
      if (run && run.status !== "completed" && run.status !== "cancelled") {
        throw new UserError(`The run ${id} is not over: unmerged work would be lost.`, {
          next: `\`loom cancel ${id}\` ends it, \`loom resume ${id}\` goes on.`,
        });
      }
      await discard(local, id, run?.target ?? local.repository.currentBranch ?? "HEAD");
      output.note(`Forgot ${id}. What it merged stays.`);
      return 0;
    });
  });
}
