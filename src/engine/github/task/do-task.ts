import { needsPerson } from "../../../core/errors.ts";
import type { TaskId } from "../../../core/task/task.ts";
import { runTask } from "../../task/run-task.ts";
import type { Host, RepoEngine } from "../host.ts";
import { refuseTask } from "./give-up-on-task.ts";
import { sendTask } from "./send-task.ts";
import { createThreadChannel } from "./thread-channel.ts";

/** Goes on with a task; when it has to wait until some time, it is brought back then. */
export async function doTask(host: Host, engine: RepoEngine, id: TaskId, signal: AbortSignal): Promise<void> {
  const channel = createThreadChannel(host, engine);
  const progress = await runTask(engine, id, channel, () => {}, signal).catch(async (error: unknown) => {
    if (!needsPerson(error)) throw error;
    await refuseTask(host, engine, id, error);
    return { kind: "done" as const };
  });
  if (progress.kind !== "waiting" || progress.until === null) return;
  const task = await engine.tasks.get(id);
  await sendTask(engine, task, Math.max(0, progress.until - engine.now()));
}
