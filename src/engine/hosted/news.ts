import type { RunId } from "../../core/ids.ts";
import type { RepoEngine } from "./host.ts";

/**
 * Somebody, or somebody's pipeline, did something about a run. The next look at it then wakes what waits for reviews and
 * checks; a look that the sweep asked for does not, or every wait would be cut short once a minute.
 */
export async function tellNews(engine: RepoEngine, run: RunId): Promise<void> {
  await engine.shelf.set(newsKey(run), "yes");
  await engine.queue.enqueue({ kind: "observe", repo: engine.repo, run });
}

export async function takeNews(engine: RepoEngine, run: RunId): Promise<boolean> {
  const isThere = (await engine.shelf.get(newsKey(run))) !== null;
  // Before anything is looked at: what is told from here on is for the next look.
  if (isThere) await engine.shelf.remove(newsKey(run));
  return isThere;
}

function newsKey(run: RunId): string {
  return `news/${run}`;
}
