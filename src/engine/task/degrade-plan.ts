import { designRef } from "../../core/planning/design-ref.ts";
import { degradedPlan } from "../../core/planning/draft/degraded-plan.ts";
import type { TaskStep } from "../../core/task/next-task-step.ts";
import type { Task } from "../../core/task/task.ts";
import { wishOf } from "../../core/task/wish-of.ts";
import { gateToExpect } from "../verify/gate-at.ts";
import { goalOf } from "./plan-on.ts";
import type { TaskChannel } from "./task-channel.ts";
import { type TaskClaim, writeTask } from "./task-claim.ts";
import { TASKS } from "./task-context.ts";
import type { TaskEngine } from "./task-engine.ts";

/** What the policy makes of a planner that brought no sound plan. */
export async function degradePlan(
  engine: TaskEngine,
  claim: TaskClaim,
  task: Task,
  { cause }: Extract<TaskStep, { kind: "degrade" }>,
  channel: TaskChannel,
): Promise<void> {
  const isRefused = wishOf(task).degraded === "deny" || task.kind === "revise";
  const plan = isRefused ? null : await planOfOneStage(engine, task, channel);
  await writeTask(engine, claim, { type: "plan-degraded", plan, cause });
}

async function planOfOneStage(engine: TaskEngine, task: Task, channel: TaskChannel): Promise<string> {
  const { path, gate } = wishOf(task);
  // Whoever held the sessions may have died on another machine.
  await channel.fetch(task);
  return degradedPlan({
    title: task.title,
    goal: goalOf(task),
    created: task.createdAt,
    designRef: designRef(task),
    checks: await gateToExpect(engine.workspaceFor({ id: TASKS }), task.commit, gate),
    template: engine.promptsFor({ id: task.id, planPath: path ?? "" }).tasks.templates.plan,
  });
}
