import { ForgedRecord, messageOf } from "../../../core/errors.ts";
import type { RunId } from "../../../core/ids.ts";
import { replies } from "../../../core/report/github/run/replies.ts";
import type { Host, RepoEngine } from "../host.ts";
import { mirroredRuns, restoreRuns } from "./restore-runs.ts";

const NOTE = "forged/";

/**
 * A run whose ledger somebody else wrote to stands still, and its people hear so once, where its signed copy in git says
 * that they are. Once the operator has removed the ledger, the run comes back from that copy.
 */
export async function tellForged(host: Host, engine: RepoEngine): Promise<void> {
  const noted = await engine.cache.list(NOTE);
  const ids = await engine.store.list();
  const forged = new Map<RunId, ForgedRecord>();
  for (const id of ids) {
    const problem = await problemOf(engine, id);
    if (problem) forged.set(id, problem);
  }
  const untold = [...forged].filter(([id]) => !noted.has(`${NOTE}${id}`));
  if (untold.length > 0) await tell(host, engine, new Map(untold));
  const over = [...noted.keys()].map((key) => key.slice(NOTE.length)).filter((id) => !forged.has(id));
  if (over.some((id) => !ids.includes(id))) await restoreRuns(host, engine);
  for (const id of over) await engine.cache.remove(`${NOTE}${id}`);
}

async function problemOf(engine: RepoEngine, id: RunId): Promise<ForgedRecord | null> {
  try {
    await engine.runs.load(id);
    return null;
  } catch (error) {
    if (error instanceof ForgedRecord) return error;
    throw error;
  }
}

async function tell(host: Host, engine: RepoEngine, forged: ReadonlyMap<RunId, ForgedRecord>): Promise<void> {
  const copies = await mirroredRuns(host, engine);
  for (const [id, problem] of forged) {
    const run = copies.get(id)?.run;
    const thread = run?.offer?.pr ?? run?.origin?.issue;
    try {
      if (run && thread !== undefined && !run.archived)
        await engine.threads.comment(thread, `forged-${id}`, replies.refusal(problem.message, problem.next));
    } catch (error) {
      host.warn(`failed to tell that the run ${id} stands still: ${messageOf(error)}`, error);
      continue;
    }
    await engine.cache.set(`${NOTE}${id}`, "told");
  }
}
