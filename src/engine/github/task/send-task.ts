import { runnerLabel } from "../../../core/plan/runner-label.ts";
import type { Task } from "../../../core/task/task.ts";
import type { RepoEngine } from "../host.ts";

/** "Go on with it", for a worker that runs agents. */
export async function sendTask(engine: RepoEngine, task: Task, delayMs = 0): Promise<void> {
  const { runsOn = null } = task.settings;
  await engine.queue.enqueue(
    { kind: "task", repo: engine.repo, task: task.id },
    { delayMs, label: runsOn === null ? null : runnerLabel(runsOn) },
  );
}
