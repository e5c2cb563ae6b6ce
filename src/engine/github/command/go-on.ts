import type { RunId } from "../../../core/ids.ts";
import type { RepoEngine } from "../host.ts";

/** Something is different about a run: what is due now is done, and people see how it stands. */
export async function goOn({ queue, repo }: RepoEngine, run: RunId): Promise<void> {
  await queue.enqueue({ kind: "advance", repo, run });
  await queue.enqueue({ kind: "show", repo, run });
}
