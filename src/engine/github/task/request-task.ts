import type { Person } from "../../../core/command/delivery.ts";
import type { Depth } from "../../../core/command/planning-choices.ts";
import type { Role } from "../../../core/command/role.ts";
import { isPlanning, type TaskKind } from "../../../core/command/task-kinds.ts";
import type { RepositoryConfig } from "../../../core/config/repository/repository-config.ts";
import type { RunSettings } from "../../../core/config/run-settings.ts";
import { UserError } from "../../../core/errors.ts";
import type { RunId } from "../../../core/ids.ts";
import { planningSecs } from "../../../core/task/planning-time.ts";
import type { Task, TaskId } from "../../../core/task/task.ts";
import {
  BUDGET_LIMITS,
  type BudgetLimit,
  type PlanWish,
  type TaskCreated,
} from "../../../core/task/task-events.ts";
import { routeOfTask } from "../../../core/task/task-role.ts";
import type { ThreadComment } from "../../../ports/github/threads.ts";
import { timestamp } from "../../engine.ts";
import { assertHarness } from "../../run/check-harnesses.ts";
import { gestureOf } from "../command/gesture-of.ts";
import { type IncomingComment, nameOfComment } from "../command/incoming-comment.ts";
import type { Host, RepoEngine } from "../host.ts";
import { remarksBefore } from "./remarks-before.ts";

export type TaskRequest = {
  readonly kind: TaskKind;
  readonly incoming: IncomingComment;
  readonly by: Person;
  readonly role: Role;
  /** What the person wrote behind the command. */
  readonly text: string;
  /** The run that a revision is about. */
  readonly run: RunId | null;
  readonly harness: string | null;
  readonly budgetUsd: number | null;
  readonly express: boolean;
  readonly depth: Depth | null;
};

/** Each command asks for one task; the same comment, read again after a crash, for the same ones. */
export function taskIdFor(
  kind: TaskKind,
  { order = 0, ...incoming }: Pick<IncomingComment, "number" | "comment" | "on" | "order">,
): TaskId {
  return `${kind}-${incoming.number}-${nameOfComment(incoming)}${order === 0 ? "" : `-${order + 1}`}`;
}

/**
 * Writes down what is to be done, with the thread as it was when it was asked for: what is said or edited later changes
 * nothing for the agent (T3).
 */
export async function requestTask(
  host: Host,
  engine: RepoEngine,
  config: RepositoryConfig,
  request: TaskRequest,
): Promise<Task> {
  const id = taskIdFor(request.kind, request.incoming);
  const known = await engine.tasks.load(id);
  if (known) return known;
  const settings = host.settingsFor({
    config,
    plan: { maxParallel: null },
    harness: request.harness,
    budgetUsd: request.budgetUsd,
  });
  // Better told now than by a comment that never comes.
  const { harness } = routeOfTask({ kind: request.kind, assessment: null, settings });
  await assertHarness(engine, harness, host.lookAtHarness);
  const created = await describe(engine, config, request, settings, id);
  return (await engine.tasks.create(id, [created])) ?? engine.tasks.get(id);
}

async function describe(
  engine: RepoEngine,
  config: RepositoryConfig,
  request: TaskRequest,
  settings: RunSettings,
  id: TaskId,
): Promise<TaskCreated> {
  const { kind, incoming } = request;
  const plans = isPlanning(kind);
  const run = request.run === null ? null : await engine.runs.get(request.run);
  // A revision is asked for where the plan is shown, but planned from what the plan is for.
  const number = run?.origin?.issue ?? incoming.number;
  const issue = await engine.threads.issue(number);
  if (!issue) throw new UserError(`There is no issue #${number}.`);
  const { title, body } = number === incoming.number ? (incoming.opening ?? issue) : issue;
  const change = plans || !issue.isPullRequest ? null : await engine.pulls.fetchChange(incoming.number);
  const { name: target, tip } = await engine.contents.defaultBranch();
  if (!change) await engine.contents.fetch([tip]);
  const { installation, repo } = engine.repoRef;
  const isAside = number !== incoming.number;
  const pulls = [
    issue.isPullRequest ? number : undefined,
    run?.offer?.pr,
    isAside ? incoming.number : undefined,
  ];
  const comments = await commentsOf(engine, number, pulls);
  return {
    type: "task-created",
    at: timestamp(engine),
    task: id,
    kind,
    origin: {
      installation,
      repo: { id: repo.id, owner: repo.owner, name: repo.name },
      issue: incoming.number,
      title,
      by: request.by.login,
      byId: request.by.id,
      at: incoming.at,
      gesture: gestureOf.comment(incoming),
    },
    isPull: issue.isPullRequest,
    ...(issue.open ? {} : { wasClosed: true }),
    comment: incoming.comment,
    role: request.role,
    text: request.text,
    title,
    body: body.slice(0, MAX_BODY_CHARS),
    thread: remarksBefore(comments, incoming),
    ...(incoming.line ? { line: incoming.line } : {}),
    target,
    commit: change?.head ?? tip,
    scope: change && { from: change.from, pr: incoming.number },
    run: request.run,
    plan: plans ? planWish(config, request) : null,
    settings,
    ...limitsOf(config, request, settings),
  };
}

/** What is said about a plan is said on its issue and on its pull request, there on lines as well. */
async function commentsOf(
  engine: RepoEngine,
  number: number,
  pulls: readonly (number | undefined)[],
): Promise<ThreadComment[]> {
  const comments: ThreadComment[] = [];
  const known = pulls.filter((pull) => pull !== undefined);
  for (const one of new Set([number, ...known])) comments.push(...(await engine.threads.thread(one)));
  for (const pull of new Set(known)) comments.push(...(await engine.reviews.reviews(pull)));
  return comments;
}

const MAX_BODY_CHARS = 60_000;

function planWish({ planner, limits, ...config }: RepositoryConfig, request: TaskRequest): PlanWish {
  return {
    workflow: request.express ? "express" : "standard",
    depth: request.depth ?? planner.depth,
    mode: planner.mode,
    degraded: planner.degraded,
    maxStages: limits.maxStages,
    remindAfterSecs: planner.remindAfterSecs,
    defaultAfterSecs: planner.defaultAfterSecs,
    harness: request.harness,
    budgetUsd: request.budgetUsd,
    path: null,
    protectedPaths: [...config.protectedPaths],
    gate: [...config.gate],
    disabledAgents: [...config.disabledAgents],
  };
}

/** What a person names counts where it is the smallest; a planning is held to the budget of its run, too. */
function limitsOf(
  { planner, commands, limits }: RepositoryConfig,
  { kind, budgetUsd: wished }: TaskRequest,
  settings: RunSettings,
): Pick<TaskCreated, "budgetUsd" | "budgetBy" | "timeoutSecs"> {
  const plans = isPlanning(kind);
  const said: Partial<Record<BudgetLimit, number | null>> = plans
    ? { "planner.budget_usd": planner.budgetUsd, "limits.budget_usd": limits.budgetUsd, "--budget": wished }
    : { "commands.budget_usd": commands.budgetUsd, "--budget": wished };
  const budgetUsd = Math.min(...Object.values(said).filter((usd) => usd !== null));
  return {
    budgetUsd,
    budgetBy: BUDGET_LIMITS.filter((name) => said[name] === budgetUsd),
    timeoutSecs: plans ? planningSecs(settings) : commands.timeoutSecs,
  };
}
