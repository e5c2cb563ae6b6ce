import type { Sha } from "../core/ids.ts";
import type { StagePlan } from "../core/plan/plan.ts";
import type { Patterns } from "../ports/patterns.ts";
import type { Room } from "../ports/room.ts";
import type { Workspace } from "../ports/workspace.ts";
import { throwIfInterrupted } from "./interrupted.ts";

export type CheckDeps = {
  readonly workspace: Workspace;
  readonly patterns: Patterns;
  readonly openRoom: OpenCheckRoom;
};

/** Set-up may fetch what a project needs, so its network is another than that of checks. */
export type CheckPurpose = "setup" | "checks";
export type CheckRoom = Pick<Room, "spawn" | "exceeded" | "close">;
export type OpenCheckRoom = (tree: string, purpose: CheckPurpose, marker: string) => Promise<CheckRoom>;

/** What all checks of one verification have in common. */
export type CheckOrder = {
  readonly stage: StagePlan;
  readonly projectRoot: string;
  readonly marker: string;
  readonly onProgress?: (text: string) => void;
  readonly signal?: AbortSignal;
};

/** A clean checkout in which commands may run. They may litter: nothing is read from it afterwards. */
export type CheckScene = {
  readonly order: CheckOrder;
  readonly tree: string;
  readonly purpose: CheckPurpose;
  /** Opened when it is first asked for; closed with the checkout. */
  readonly room: (purpose: CheckPurpose) => Promise<CheckRoom>;
};

export async function inCleanTree<T>(
  deps: CheckDeps,
  order: CheckOrder,
  commit: Sha,
  work: (scene: CheckScene) => Promise<T>,
): Promise<T> {
  throwIfInterrupted(order.signal);
  const tree = await deps.workspace.open(commit);
  const rooms = new Map<CheckPurpose, Promise<CheckRoom>>();
  const room = (purpose: CheckPurpose): Promise<CheckRoom> => {
    const opened = rooms.get(purpose) ?? deps.openRoom(tree.path, purpose, order.marker);
    rooms.set(purpose, opened);
    return opened;
  };
  try {
    return await work({ order, tree: tree.path, purpose: "checks", room });
  } finally {
    for (const opened of rooms.values()) await opened.then((one) => one.close()).catch(() => {});
    await deps.workspace.close(tree);
  }
}
