import type { Errand } from "../../../core/errand/errand.ts";
import { runnerLabel } from "../../../core/runner-label.ts";
import type { RepoEngine } from "../host.ts";

/** "Go on with it", for a worker that runs agents. */
export async function sendErrand(engine: RepoEngine, errand: Errand, delayMs = 0): Promise<void> {
  const { runsOn = null } = errand.settings;
  await engine.queue.enqueue(
    { kind: "errand", repo: engine.repo, errand: errand.id },
    { delayMs, label: runsOn === null ? null : runnerLabel(runsOn) },
  );
}
