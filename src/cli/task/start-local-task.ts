import type { TaskKind } from "../../core/command/task-kinds.ts";
import type { RunSettings } from "../../core/config/run-settings.ts";
import { readSettings } from "../../core/config/settings/settings.ts";
import { UserError } from "../../core/errors.ts";
import type { Sha } from "../../core/ids.ts";
import { localTaskTexts } from "../../core/report/commands/local-task-texts.ts";
import { configTexts } from "../../core/report/texts/config-texts.ts";
import { planningSecs } from "../../core/task/planning-time.ts";
import type { Task } from "../../core/task/task.ts";
import type { PlanWish, Remark, TaskCreated } from "../../core/task/task-events.ts";
import { routeOfTask } from "../../core/task/task-role.ts";
import { shortLine } from "../../core/text/cut-text.ts";
import { timestamp } from "../../engine/engine.ts";
import { assertHarness } from "../../engine/run/check-harnesses.ts";
import { forgetOldTasks } from "../../engine/task/forget-tasks.ts";
import type { Local } from "../../wiring/local.ts";
import { usableConfig } from "../input/usable-config.ts";
import { explain, type Io, warn } from "../io.ts";
import { formatLocalMoment } from "../output/local-moment.ts";
import { assertTreesFolder } from "../trees-folder.ts";

export type LocalTask = {
  readonly kind: TaskKind;
  /** The person's words; their first line names a plan. */
  readonly text: string;
  readonly thread: readonly Remark[];
  readonly commit: Sha;
  /** Where the change begins that is looked at; null: all that is there is. */
  readonly from: Sha | null;
  readonly plan: PlanWish | null;
  readonly harness: string | null;
  /** Whether one that was cut off is left alone. */
  readonly fresh?: boolean;
};

/** Writes down what one agent is to do in this repository; nobody but the person at the terminal has a say in it. */
export async function startLocalTask(io: Io, local: Local, wish: LocalTask): Promise<Task> {
  const { engine } = local;
  const reading = await local.readConfig();
  const { planner, commands } = usableConfig(reading);
  const settings = await settingsFor(io, local, wish);
  for (const problem of reading.problems) explain(io, configTexts.warning(problem), null);
  const plans = wish.kind === "plan";
  const before = plans && !wish.fresh ? await findUnfinished(local, wish, settings.harness) : null;
  if (before) {
    warn(io, localTaskTexts.goesOn(formatLocalMoment(Date.parse(before.createdAt))));
    return before;
  }
  await forgetOldTasks(engine);
  const id = `${wish.kind}-${engine.newId().slice(0, 8)}`;
  const created: TaskCreated = {
    type: "task-created",
    at: timestamp(engine),
    task: id,
    kind: wish.kind,
    origin: null,
    isPull: false,
    comment: null,
    role: "admin",
    text: wish.text,
    title: plans ? shortLine(wish.text.split("\n")[0] ?? "", 120) : "",
    body: "",
    thread: [...wish.thread],
    target: local.repository.currentBranch ?? "HEAD",
    commit: wish.commit,
    scope: wish.from === null ? null : { from: wish.from, pr: null },
    run: null,
    plan: wish.plan,
    settings,
    budgetUsd: plans ? planner.budgetUsd : commands.budgetUsd,
    budgetBy: [plans ? "planner.budget_usd" : "commands.budget_usd"],
    timeoutSecs: plans ? planningSecs(settings) : commands.timeoutSecs,
  };
  const task = await engine.tasks.create(id, [created]);
  if (!task) throw new UserError(localTaskTexts.nameTaken());
  return task;
}

/** All that could stand in the agent's way is found out before anything is written down. */
export async function settingsFor(
  io: Io,
  local: Local,
  { kind, harness: asked }: Pick<LocalTask, "kind" | "harness">,
): Promise<RunSettings> {
  const flags = { harness: asked, maxParallel: null };
  const { settings, warnings } = readSettings(io.env, flags, { maxParallel: null });
  const { harness } = routeOfTask({ kind, assessment: null, settings });
  await assertHarness(local.engine, harness);
  await assertTreesFolder(local.disk.treesFolder);
  for (const text of [...warnings, ...local.agents.warnings]) explain(io, text, null);
  const { warning, next } = local.engine.sandboxes.report;
  if (warning !== null) warn(io, next === null ? warning : `${warning} ${next}`);
  return settings;
}

/** The last task that got somewhere with the same plan from the same commit, if it was cut off there. */
async function findUnfinished(local: Local, wish: LocalTask, harness: string): Promise<Task | null> {
  const same = (task: Task): boolean =>
    (task.assessment !== null || task.drafts.length > 0) &&
    task.text === wish.text &&
    task.commit === wish.commit &&
    task.settings.harness === harness &&
    JSON.stringify(task.plan) === JSON.stringify(wish.plan);
  const last = (await tasksOf(local, "plan")).findLast(same);
  return last && !last.outcome ? last : null;
}

/** Those that can be read, the oldest first. */
export async function tasksOf({ engine }: Local, kind: TaskKind): Promise<Task[]> {
  const found: Task[] = [];
  for (const id of await engine.taskStore.list()) {
    if (!id.startsWith(`${kind}-`)) continue;
    const task = await engine.tasks.load(id).catch(() => null);
    if (task?.kind === kind) found.push(task);
  }
  return found.sort((a, b) => a.createdAt.localeCompare(b.createdAt));
}
