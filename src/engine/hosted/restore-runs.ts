import type { RunId } from "../../core/ids.ts";
import { type RunEvent, runEventSchema } from "../../core/run/events.ts";
import { evolve } from "../../core/run/evolve.ts";
import { adoptWork } from "./adopt-work.ts";
import type { Host, RepoEngine } from "./host.ts";

/**
 * Brings runs back that the store has lost, from the signed copies in git. Their events end where the last copy was made;
 * what happened since is found by looking at GitHub, where every trace of it is recognisable. Doing it twice, or in two
 * processes at once, is doing it once.
 */
export async function restoreRuns(host: Host, engine: RepoEngine): Promise<void> {
  const known = new Set(await engine.store.list());
  for (const { run, text } of await engine.hub.mirroredLedgers()) {
    const events = readEvents(run, text);
    if (!events) {
      host.warn(`the copy of ${run} can't be read`);
      continue;
    }
    if (!known.has(run)) {
      // What this process remembers of it may go further than the copy does.
      engine.book.forget(run);
      const outcome = await engine.store.append(run, 0, events);
      if (outcome.kind === "appended") host.warn(`the run ${run} was lost and is back from its copy in git`);
    }
    await adoptWork(engine, run);
    await engine.queue.enqueue({ kind: "observe", repo: engine.repo, run });
    await engine.queue.enqueue({ kind: "show", repo: engine.repo, run });
  }
}

function readEvents(run: RunId, text: string): RunEvent[] | null {
  try {
    const events = text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => runEventSchema.parse(JSON.parse(line)));
    return evolve(null, events)?.id === run ? events : null;
  } catch {
    return null;
  }
}
