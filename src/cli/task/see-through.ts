import { setTimeout as pause } from "node:timers/promises";
import { UserError } from "../../core/errors.ts";
import { localTaskTexts } from "../../core/report/commands/local-task-texts.ts";
import { taskLine } from "../../core/report/terminal/task-lines.ts";
import type { Task } from "../../core/task/task.ts";
import { runTask } from "../../engine/task/run-task.ts";
import type { FeedItem } from "../../ports/feed.ts";
import type { Local } from "../../wiring/local.ts";
import type { Io } from "../io.ts";
import { listenForStop } from "../listen-for-stop.ts";
import { stopped } from "./stopped.ts";
import { createTaskProgress } from "./task-progress.ts";
import { createTerminalChannel, type TerminalWish } from "./terminal-channel.ts";

const LOOK_AGAIN_MS = 1_000;

/** Goes on with a task until it is done, and shows on the way what the agent does. */
export async function seeThrough(io: Io, local: Local, task: Task, wish: TerminalWish): Promise<Task> {
  const progress = createTaskProgress(io);
  const stop = listenForStop({
    first() {
      progress.tell(localTaskTexts.stopping());
      local.hurry();
    },
    second: () => progress.close(),
  });
  // What lies in the ledger already is history.
  let watching = false;
  const hold = await local.tasks.hold(task.id, (event, state) => {
    const line = watching ? taskLine(event, state) : null;
    if (line !== null) progress.tell(line);
  });
  try {
    if (hold.kind === "held")
      throw new UserError(localTaskTexts.taken(hold.pid), { next: localTaskTexts.takenNext() });
    const { engine } = hold;
    await engine.tasks.get(task.id);
    watching = true;
    const channel = createTerminalChannel(io, progress, wish);
    const feed = (item: FeedItem): void => {
      if (item.kind === "activity" && !stop.signal.aborted) progress.show(local.redact(item.text));
    };
    for (;;) {
      const step = await runTask(engine, task.id, channel, feed, stop.signal);
      if (step.kind === "done") return await engine.tasks.get(task.id);
      if (stop.signal.aborted) throw stopped(task.kind);
      const waitMs = step.until === null ? LOOK_AGAIN_MS : Math.max(0, step.until - engine.now());
      if (waitMs > LOOK_AGAIN_MS) progress.tell(localTaskTexts.tryingAgain(waitMs));
      await pause(waitMs, undefined, { signal: stop.signal }).catch(() => {});
    }
  } finally {
    progress.close();
    if (hold.kind === "acquired") await hold.release();
    stop.close();
  }
}
