import { messageOf, needsPerson, type UserError } from "../../../core/errors.ts";
import { nextWords } from "../../../core/report/texts/next-words.ts";
import type { Task, TaskId } from "../../../core/task/task.ts";
import { finishTask } from "../../task/run-task.ts";
import { refusedFor, type WhyNot } from "../../task/task-channel.ts";
import type { Host, RepoEngine } from "../host.ts";
import { createThreadChannel } from "./thread-channel.ts";
import { tryTaskLater } from "./try-task-later.ts";

/** A job that failed every time: it is tried again later, or whoever asked is told that nothing comes of it. */
export async function giveUpOnTask(
  host: Host,
  engine: RepoEngine,
  id: TaskId,
  error: unknown,
): Promise<void> {
  const task = await engine.tasks.load(id);
  if (!task || task.outcome || (await tryTaskLater(engine, task, error))) return;
  await refuse(host, engine, task, error).catch(async (second: unknown) => {
    // The thread is locked or gone: then there is nobody to tell.
    host.warn(`the task ${id} ends without a word: ${messageOf(second)}`, second);
    await finishTask(engine, task, refusedFor(whyNot(error)));
  });
}

/** Something that a person has to fix stands in its way: they are told what, and it is not tried again. */
export async function refuseTask(
  host: Host,
  engine: RepoEngine,
  id: TaskId,
  error: UserError,
): Promise<void> {
  const task = await engine.tasks.load(id);
  if (task && !task.outcome) await refuse(host, engine, task, error);
}

async function refuse(host: Host, engine: RepoEngine, task: Task, error: unknown): Promise<void> {
  const outcome = await createThreadChannel(host, engine).giveUp(task, whyNot(error));
  await finishTask(engine, task, outcome);
}

function whyNot(error: unknown): WhyNot {
  return needsPerson(error)
    ? { reason: error.message, next: nextWords(error.next, "github"), failure: null }
    : { reason: null, next: "", failure: null };
}
