import type { RunId } from "../../../core/ids.ts";
import { isDropped } from "../../../core/task/is-dropped.ts";
import type { Task, TaskId } from "../../../core/task/task.ts";
import type { RepoEngine } from "../host.ts";
import { unlessForged } from "../recover/unless-forged.ts";

/** What is being done for this thread, or for this run wherever it was asked for; oldest first. */
export async function openTasks(
  engine: RepoEngine,
  number: number,
  about: RunId | null = null,
): Promise<Task[]> {
  const mayBe = (id: TaskId): boolean =>
    isOfThread(id, number) || (about !== null && id.startsWith("revise-"));
  const open = (await loadTasks(engine, mayBe)).filter(
    ({ outcome, origin, run }) => !outcome && (origin?.issue === number || (about !== null && run === about)),
  );
  return open.sort((a, b) => a.createdAt.localeCompare(b.createdAt));
}

/** The same without those that somebody cancelled in time: they have yet to end, and stand in nobody's way. */
export async function tasksAtWork(
  engine: RepoEngine,
  number: number,
  about: RunId | null = null,
): Promise<Task[]> {
  return (await openTasks(engine, number, about)).filter((task) => !isDropped(task));
}

/** All that was ever done for this thread and is still remembered, in no order. */
export async function tasksOfThread(engine: RepoEngine, number: number): Promise<Task[]> {
  return loadTasks(engine, (id) => isOfThread(id, number));
}

export async function allTasks(engine: RepoEngine): Promise<Task[]> {
  return loadTasks(engine, () => true);
}

/** Asked with each comment that could be an answer, whoever wrote it: what belongs to other threads is not even opened. */
async function loadTasks(engine: RepoEngine, wanted: (id: TaskId) => boolean): Promise<Task[]> {
  const tasks: Task[] = [];
  for (const id of (await engine.taskStore.list()).filter(wanted)) {
    const task = await unlessForged(engine.tasks.load(id));
    if (task) tasks.push(task);
  }
  return tasks;
}

/** As `taskIdFor` names them. */
function isOfThread(id: TaskId, number: number): boolean {
  return /-(\d+)-(?:(?:line|review)?\d+|issue)(?:-\d+)?$/.exec(id)?.[1] === String(number);
}
