import { basename, dirname } from "node:path";
import { foldersIn } from "../adapters/os/folders-in.ts";
import { isId } from "../core/ids.ts";
import type { Task, TaskId } from "../core/task/task.ts";
import type { TaskEvent } from "../core/task/task-events.ts";
import { TASKS } from "../engine/task/task-context.ts";
import type { TaskEngine } from "../engine/task/task-engine.ts";
import type { TaskLedgers } from "../engine/task/task-ledgers.ts";
import type { DriverLease, LeaseHolder } from "../ports/driver-lease.ts";
import type { Workspace } from "../ports/workspace.ts";

export type OnTaskEvent = (event: TaskEvent, task: Task) => void;

/** The right of one process of this machine to go on with a task. */
export type LocalTaskHold =
  | { readonly kind: "acquired"; readonly engine: TaskEngine; release(): Promise<void> }
  | ({ readonly kind: "held" } & LeaseHolder);

export type TaskHoldings = {
  readonly engine: TaskEngine;
  readonly lease: DriverLease;
  /** Absolute; the trees of this repository stand in it. */
  readonly folder: string;
  readonly openWorkspace: (name: string) => Workspace;
  readonly openLedgers: (onEvent: OnTaskEvent) => TaskLedgers;
};

/**
 * Each task has trees of its own here, unlike on a server: whoever ends first clears up, and must not clear up what
 * belongs to another process. What a process that was killed left behind goes when the next one begins.
 */
export async function holdTask(
  { engine, lease, folder, openWorkspace, openLedgers }: TaskHoldings,
  id: TaskId,
  onEvent: OnTaskEvent,
): Promise<LocalTaskHold> {
  const held = await lease.acquire(id);
  if (held.kind === "held") return held;
  const own = openWorkspace(treesOf(id));
  await clearTaskTrees({ lease, folder, openWorkspace }, id);
  return {
    kind: "acquired",
    engine: {
      ...engine,
      tasks: openLedgers(onEvent),
      workspaceFor: (run) => (run.id === TASKS ? own : engine.workspaceFor(run)),
    },
    async release() {
      try {
        await own.dispose();
      } finally {
        await held.release();
      }
    },
  };
}

const PREFIX = `${TASKS}-`;

/** Of those that nobody is at. */
export async function clearTaskTrees(
  { lease, folder, openWorkspace }: Pick<TaskHoldings, "lease" | "folder" | "openWorkspace">,
  except: TaskId | null = null,
): Promise<void> {
  for (const name of foldersIn(dirname(folder), basename(folder))) {
    const id = taskOfTrees(name);
    if (id !== null && id !== except) await clearUp(lease, id, openWorkspace);
  }
}

/** null: the folder is not one of a task's. */
export function taskOfTrees(name: string): TaskId | null {
  const id = name.slice(PREFIX.length);
  return name.startsWith(PREFIX) && isId(id) ? id : null;
}

function treesOf(id: TaskId): string {
  return `${PREFIX}${id}`;
}

async function clearUp(
  lease: DriverLease,
  id: TaskId,
  openWorkspace: TaskHoldings["openWorkspace"],
): Promise<void> {
  const taken = await lease.acquire(id);
  if (taken.kind === "held") return;
  try {
    await openWorkspace(treesOf(id)).dispose();
  } finally {
    await taken.release();
  }
}
