import type { Command } from "../../../core/command/command.ts";
import type { Person } from "../../../core/command/delivery.ts";
import type { Role } from "../../../core/command/role.ts";
import { type Audit, isAudit } from "../../../core/command/task-kinds.ts";
import type { RepositoryConfig } from "../../../core/config/repository/repository-config.ts";
import { replies } from "../../../core/report/github/run/replies.ts";
import type { Reply } from "../../../core/report/github/run/shelved.ts";
import { taskReplies } from "../../../core/report/github/tasks/task-replies.ts";
import type { Task } from "../../../core/task/task.ts";
import { cancelTask } from "../../task/run-task.ts";
import { announcementOf } from "../../task/task-claim.ts";
import { acquireSoon } from "../acquire-soon.ts";
import { findRun } from "../command/find-run.ts";
import { isOlder } from "../command/hear-command.ts";
import type { IncomingComment } from "../command/incoming-comment.ts";
import type { Host, RepoEngine } from "../host.ts";
import { readConfig } from "../plan/read-config.ts";
import { openTasks, tasksAtWork } from "./find-tasks.ts";
import { requestTask, type TaskRequest, taskIdFor } from "./request-task.ts";
import { sendTask } from "./send-task.ts";
import { startedText, updateComment } from "./thread-channel.ts";

type Asked = {
  readonly host: Host;
  readonly engine: RepoEngine;
  readonly incoming: IncomingComment;
  readonly who: Person & { readonly role: Role };
  readonly signal: AbortSignal;
};

/** What an agent is sent for, and how it is held. */
type Wish = Pick<TaskRequest, "kind" | "text" | "run" | "harness" | "budgetUsd">;

const good = (text: string): Reply => ({ ok: true, text });
const bad = (text: string): Reply => ({ ok: false, text });

export function isLook(command: Command): command is Extract<Command, { verb: "ask" | Audit }> {
  return command.verb === "ask" || isAudit(command.verb);
}

/** An agent is sent; what it brings takes the place of the comment that says so, and that is the reply. */
export async function startTask(call: Asked, wish: Wish): Promise<Reply> {
  const { kind, run } = wish;
  const { host, engine, incoming, signal } = call;
  const { config, problems } = await readConfig(engine);
  if (!config) return bad(replies.brokenConfig(problems));
  const turn = await acquireSoon(host, `task/${engine.repo}/${kind}/${run ?? incoming.number}`, signal);
  if (turn.kind === "held") return bad(taskReplies.busy(kind));
  try {
    return await send(call, config, wish);
  } finally {
    await turn.release();
  }
}

async function send(
  { host, engine, incoming, who }: Asked,
  config: RepositoryConfig,
  { kind, text, run, harness, budgetUsd }: Wish,
): Promise<Reply> {
  const id = taskIdFor(kind, incoming);
  const others = (await tasksAtWork(engine, incoming.number, run)).filter((open) => open.id !== id);
  // Two that look at the same would say the same; questions differ.
  if (kind !== "ask" && others.some((open) => open.kind === kind)) return bad(taskReplies.busy(kind));
  const task = await requestTask(host, engine, config, {
    kind,
    incoming,
    by: who,
    role: who.role,
    text,
    run,
    harness,
    budgetUsd,
    express: false,
    depth: null,
  });
  await announce(engine, task);
  return good("");
}

/**
 * Says that somebody is at it, and sends them. A worker may have taken it since it was written down, and then has more to
 * say; none takes it while this is being said. Whoever dies here is followed by the sweep, once the lease has ended.
 */
export async function announce(engine: RepoEngine, { id }: Pick<Task, "id">): Promise<void> {
  const turn = await acquireSoon(engine, announcementOf(id));
  try {
    const task = await engine.tasks.get(id);
    if (task.outcome) return;
    if (task.claim === null && turn.kind === "acquired") await updateComment(engine, task, startedText(task));
  } finally {
    if (turn.kind === "acquired") await turn.release();
  }
  await sendTask(engine, await engine.tasks.get(id));
}

/** Commands that are about an agent at work outside of a run, where there is one; null: about a run. */
export async function aboutTask({ engine, incoming, who }: Asked, command: Command): Promise<Reply | null> {
  if (command.verb !== "cancel" && command.verb !== "status") return null;
  const thread = await findRun(engine, incoming.number);
  // What was asked for later was not meant (T33).
  const open = (await openTasks(engine, incoming.number, thread?.run.id ?? null)).filter(
    ({ origin }) => !isOlder(incoming, origin),
  );
  if (open.length === 0) return null;
  if (command.verb === "status") {
    const atWork = open.filter(({ cancelledBy }) => cancelledBy === null);
    return thread || atWork.length === 0 ? null : good(taskReplies.status(atWork));
  }
  for (const task of open) if (await cancelTask(engine, task.id, who.login)) await sendTask(engine, task);
  // Meanwhile a plan may have become a run.
  const now = await findRun(engine, incoming.number);
  return now?.run.status === "running" ? null : good(taskReplies.cancelling(open.length));
}
