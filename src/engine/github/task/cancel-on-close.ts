import { observations } from "../../../core/report/texts/observation-texts.ts";
import type { Task } from "../../../core/task/task.ts";
import { cancelTask } from "../../task/run-task.ts";
import type { RepoEngine } from "../host.ts";
import { tasksAtWork } from "./find-tasks.ts";
import { sendTask } from "./send-task.ts";

/**
 * Who closes an issue wants no plan for it any more: its planner stops, also one that waits for answers (F20). What only
 * reads goes on, for people ask about what is merged or closed. Opening it again sends nobody.
 */
export async function cancelOnClose(engine: RepoEngine, number: number): Promise<void> {
  await stopPlanners(engine, await tasksAtWork(engine, number));
}

/** The same for whatever is open, where nobody was told of the closing. */
export async function stopPlanners(engine: RepoEngine, open: readonly Task[]): Promise<void> {
  for (const task of open) {
    const { id, kind, origin, wasClosed, cancelledBy } = task;
    if (kind !== "plan" || !origin || wasClosed || cancelledBy !== null) continue;
    const issue = await engine.threads.issue(origin.issue);
    if (!issue || issue.open) continue;
    if (await cancelTask(engine, id, observations.closedIssue(origin.issue))) await sendTask(engine, task);
  }
}
