import type { Task, TaskId } from "../../core/task/task.ts";
import type { TaskEvent } from "../../core/task/task-events.ts";
import { holdLease, leaseName } from "../attempt/claim.ts";
import { timestamp } from "../engine.ts";
import { type Watch, watchWanted } from "../run/watch-wanted.ts";
import type { TaskEngine } from "./task-engine.ts";

/** The right to write about a task. */
export type TaskClaim = { readonly task: TaskId; readonly token: string };

/** Thrown where somebody else has it, or nobody wants it any more: the work is dropped without a word. */
export class TaskLost extends Error {
  constructor({ task }: TaskClaim) {
    super(`the task ${task} is no longer ours`);
    this.name = "TaskLost";
  }
}

export type HeldTask = { readonly claim: TaskClaim; release(): Promise<void> };

/** Held by who says in the thread that an agent is at work, for as long as that is under way. */
export function announcementOf(id: TaskId): string {
  return `announce/${id}`;
}

/** null when it is done, or somebody who is alive is at it. */
export async function claimTask(engine: TaskEngine, id: TaskId): Promise<HeldTask | null> {
  const before = await engine.tasks.load(id);
  if (!before || before.outcome) return null;
  if (before.claim !== null && (await engine.leases.isHeld(leaseName(before.claim)))) return null;
  // Whoever held it died, and what they had started may not have.
  if (before.session) await engine.supervisor.reap(before.session.marker);
  const token = engine.newId();
  const lease = await holdLease(engine, { token });
  const written = await engine.tasks.write(id, (task) =>
    task.outcome || task.claim !== before.claim
      ? null
      : [{ type: "task-claimed", at: timestamp(engine), claim: token }],
  );
  // Looked at after the claim is written, as who announces looks at the claim after the lease is theirs: one of the two
  // sees the other. Otherwise "at work" could be said after the outcome, and stay. Who announces sends for it again.
  if (written && !(await engine.leases.isHeld(announcementOf(id))))
    return { claim: { task: id, token }, release: lease.release };
  await lease.release();
  return null;
}

type DistributiveOmit<T, K extends keyof never> = T extends unknown ? Omit<T, K> : never;
/** What only the holder may write; claim and time are filled in. */
export type HeldEvent = DistributiveOmit<Extract<TaskEvent, { claim: string }>, "at" | "claim">;

export async function writeTask(engine: TaskEngine, claim: TaskClaim, ...events: HeldEvent[]): Promise<Task> {
  const at = timestamp(engine);
  // What a session took is true and has to be paid, cancelled or not.
  const isCost = events.every(({ type }) => type === "session-ended");
  const task = await engine.tasks.write(claim.task, (current) =>
    current.claim === claim.token && (current.cancelledBy === null || isCost) && !current.outcome
      ? events.map((event) => ({ ...event, at, claim: claim.token }) as TaskEvent)
      : null,
  );
  if (!task) throw new TaskLost(claim);
  return task;
}

/** Aborts when the task was cancelled or taken over, by whichever process. */
export function watchTask(engine: TaskEngine, claim: TaskClaim, outer: AbortSignal): Watch {
  return watchWanted({
    watch: (onChange) => engine.taskStore.watch(claim.task, onChange),
    async isWanted() {
      const task = await engine.tasks.load(claim.task);
      return task?.claim === claim.token && task.cancelledBy === null;
    },
    outer,
    what: "task",
  });
}
