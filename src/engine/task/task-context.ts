import type { PromptTexts } from "../../core/prompt/prompt-texts.ts";
import type { Task } from "../../core/task/task.ts";
import type { Feed } from "../../ports/feed.ts";
import type { Workspace, WorkTree } from "../../ports/workspace.ts";
import type { Home } from "../engine.ts";
import type { TaskClaim } from "./task-claim.ts";
import type { TaskEngine } from "./task-engine.ts";

/** What one worker goes on with a task with. */
export type TaskContext = {
  readonly engine: TaskEngine;
  readonly claim: TaskClaim;
  readonly workspace: Workspace;
  readonly tree: WorkTree;
  readonly home: Home;
  readonly prompts: PromptTexts;
  readonly feed: Feed;
  readonly abort: AbortSignal;
  /** The conversation of the last session, where the harness can go on with it. Lost with the process, and no loss. */
  conversation: { readonly harness: string; readonly resume: string } | null;
};

/** One workspace for all tasks of a repository: its trees are lent and reused. No run has an id like it. */
export const TASKS = ".tasks";

export type TaskTurn = Pick<TaskContext, "engine" | "claim" | "feed" | "abort"> & { readonly task: Task };

export async function withTaskContext<T>(
  { task, ...turn }: TaskTurn,
  work: (context: TaskContext) => Promise<T>,
): Promise<T> {
  const { engine, claim } = turn;
  const workspace = engine.workspaceFor({ id: TASKS });
  const tree = await workspace.open(task.commit);
  const home = await engine.openHome(claim.token);
  try {
    // Somebody's branch must not bring settings for the agent that looks at it (T8).
    if (task.scope) await workspace.restoreConfig(tree, task.scope.from);
    const prompts = engine.promptsFor({ id: task.id, planPath: task.plan?.path ?? "" });
    return await work({ ...turn, workspace, tree, home, prompts, conversation: null });
  } finally {
    await home.remove();
    await workspace.close(tree);
  }
}
