import type { Person } from "../../../core/command/delivery.ts";
import type { Depth } from "../../../core/command/planning-choices.ts";
import type { Role } from "../../../core/command/role.ts";
import { isAtLeast } from "../../../core/command/role.ts";
import type { RepositoryConfig } from "../../../core/config/repository/repository-config.ts";
import type { Problem } from "../../../core/plan/problem.ts";
import type { AskedQuestions } from "../../../core/report/github/plan/planning-replies.ts";
import { requestTexts } from "../../../core/report/texts/request-texts.ts";
import type { Run } from "../../../core/run/run.ts";
import type { Task } from "../../../core/task/task.ts";
import type { Host, RepoEngine } from "../host.ts";
import { findWrittenPlan } from "../plan/find-written-plan.ts";
import { finishOpening, type OpenOutcome, openRun } from "../plan/open-run.ts";
import { takePlanTurn } from "../plan/plan-turn.ts";
import { readConfig } from "../plan/read-config.ts";
import { unlessForged } from "../recover/unless-forged.ts";
import { tasksAtWork } from "../task/find-tasks.ts";
import { requestTask, taskIdFor } from "../task/request-task.ts";
import { findRun, runningOn } from "./find-run.ts";
import { gestureOf } from "./gesture-of.ts";
import type { IncomingComment } from "./incoming-comment.ts";

export type RunRequest = {
  /** Where it was asked for: the issue, or the pull request. */
  readonly incoming: IncomingComment;
  readonly by: Person;
  readonly role: Role;
  readonly path: string | null;
  /** For the planner. */
  readonly text: string;
  readonly harness: string | null;
  readonly budgetUsd: number | null;
  readonly express: boolean;
  readonly depth: Depth | null;
};

export type RequestOutcome =
  | OpenOutcome
  /** An agent is to write the plan; what comes of it is told in a comment of its own. */
  | { readonly kind: "started"; readonly task: Task }
  | { readonly kind: "planning"; readonly asked: AskedQuestions | null }
  | { readonly kind: "broken-config"; readonly problems: readonly Problem[] }
  | { readonly kind: "no-express" };

/**
 * From an issue to a plan that people can read. A plan that somebody wrote is checked and opened as a pull request at once;
 * otherwise a planner is sent. One at a time per issue.
 */
export async function requestRun(
  host: Host,
  engine: RepoEngine,
  request: RunRequest,
  signal: AbortSignal,
): Promise<RequestOutcome> {
  const lease = await takePlanTurn(host, engine, request.incoming.number, signal);
  if (lease.kind === "held") return { kind: "planning", asked: null };
  try {
    return await plan(host, engine, request);
  } finally {
    await lease.release();
  }
}

async function plan(host: Host, engine: RepoEngine, request: RunRequest): Promise<RequestOutcome> {
  const { number } = request.incoming;
  const { config, problems } = await readConfig(engine);
  if (!config) return { kind: "broken-config", problems };
  if (request.express && !(config.approval.express && isAtLeast(request.role, config.approval.leastRole)))
    return { kind: "no-express" };
  const thread = request.path === null ? await findRun(engine, number) : null;
  // A plan's own pull request, or a stage's, is no issue to plan.
  if (thread && thread.kind !== "issue" && thread.run.status === "running")
    return { kind: "underway", run: thread.run };
  const underway = await runningOn(engine, number);
  if (underway?.offer) return { kind: "underway", run: underway };
  // A run without a pull request is one that was cut off right here.
  if (underway) {
    // Whoever asks now has not asked for the plan of somebody else.
    const express = request.express && underway.origin?.byId === request.by.id && underway.planning === null;
    return finishOpening(engine, underway, { ...request, number, express }, config);
  }
  const gesture = gestureOf.comment(request.incoming);
  const before = await askedBy(engine, gesture);
  return before ? { kind: "asked-before", run: before } : write(host, engine, request, config, gesture);
}

/** The run that the same words asked for before, archived or not (T33). */
async function askedBy(engine: RepoEngine, gesture: string): Promise<Run | null> {
  for (const id of await engine.store.list()) {
    const run = await unlessForged(engine.runs.load(id));
    if (run?.origin?.gesture === gesture) return run;
  }
  return null;
}

async function write(
  host: Host,
  engine: RepoEngine,
  request: RunRequest,
  config: RepositoryConfig,
  gesture: string,
): Promise<RequestOutcome> {
  const { number, at } = request.incoming;
  const found = await engine.threads.issue(number);
  if (!found) return { kind: "refused", reason: requestTexts.noIssue(number), next: "" };
  const { title, body } = request.incoming.opening ?? found;
  const issue = { ...found, title, body };
  const { tip } = await engine.contents.defaultBranch();
  const written = await findWrittenPlan(issue, request.path, (path) =>
    engine.contents.readFile(tip, path, 1_000_000),
  );
  if (written.kind === "refused") return written;
  if (written.kind === "written") {
    const { text, label } = written;
    return openRun(host, engine, config, {
      ...request,
      number,
      title: issue.title,
      text,
      label,
      asked: { at, gesture },
      planning: null,
    });
  }
  const other = (await tasksAtWork(engine, number)).find(({ kind }) => kind === "plan");
  if (other && other.id !== taskIdFor("plan", request.incoming))
    return { kind: "planning", asked: whatIsAsked(engine, other) };
  // What a new issue says is its body, and told as such.
  const text = request.incoming.comment === null ? "" : request.text;
  const task = await requestTask(host, engine, config, { ...request, kind: "plan", text, run: null });
  return { kind: "started", task };
}

/** What the planner waits for; null: it is at work. */
function whatIsAsked({ webUrl }: RepoEngine, task: Task): AskedQuestions | null {
  const { assessment, answers, given, shownIn, origin } = task;
  const questions = assessment?.questions ?? [];
  if (questions.length === 0 || answers) return null;
  const url = shownIn === null || !origin ? null : `${webUrl}/issues/${origin.issue}#issuecomment-${shownIn}`;
  return { questions, given, url };
}
