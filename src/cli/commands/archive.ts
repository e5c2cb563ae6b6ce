import { UserError } from "../../core/errors.ts";
import { startTexts } from "../../core/report/texts/start-texts.ts";
import { onStage, withLease } from "../drive.ts";
import { pickRunId } from "../input/pick-run.ts";
import type { Io } from "../io.ts";
import { archiveRun, assertOver } from "../local-runs.ts";
import { userOf } from "./run.ts";

/** `loom archive`: archives an ended run. It is hidden from the lists, and its ledger stays. */
export async function archive(io: Io, name: string): Promise<number> {
  return onStage(io, { json: false, starts: "nobody" }, async ({ local, output }) => {
    const id = await pickRunId(local.engine, name);
    return withLease(local, id, async () => {
      const run = await local.engine.runs.get(id);
      if (run.archived) {
        output.note(startTexts.isArchived(id));
        return 0;
      }
      assertOver(run);
      if (run.status === "completed" && run.recorded === null)
        throw new UserError(startTexts.notRecorded(id), { next: startTexts.notRecordedNext(id) });
      await archiveRun(local, run, userOf(io));
      output.note(startTexts.archived(id));
      return 0;
    });
  });
}
