import type { Sha } from "../core/ids.ts";
import type { StagePlan } from "../core/plan/plan.ts";
import type { Patterns } from "../ports/patterns.ts";
import type { Sandbox } from "../ports/sandbox.ts";
import type { Workspace } from "../ports/workspace.ts";
import { throwIfInterrupted } from "./interrupted.ts";

export type CheckDeps = {
  readonly workspace: Workspace;
  readonly sandbox: Sandbox;
  readonly patterns: Patterns;
  /** The whole environment of every command, but for the variables of checks. */
  readonly env: Readonly<Record<string, string>>;
};

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
  readonly sandbox: Sandbox;
  readonly env: Readonly<Record<string, string>>;
  readonly order: CheckOrder;
  readonly tree: string;
};

export async function inCleanTree<T>(
  deps: CheckDeps,
  order: CheckOrder,
  commit: Sha,
  work: (scene: CheckScene) => Promise<T>,
): Promise<T> {
  throwIfInterrupted(order.signal);
  const tree = await deps.workspace.open(commit);
  try {
    return await work({ sandbox: deps.sandbox, env: deps.env, order, tree: tree.path });
  } finally {
    await deps.workspace.close(tree);
  }
}
