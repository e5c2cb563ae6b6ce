import { COMMANDS, mayUse } from "../../../core/command/commands.ts";
import { isAudit, type TaskKind } from "../../../core/command/task-kinds.ts";
import { needsPerson, UserError } from "../../../core/errors.ts";
import { planningReplies } from "../../../core/report/github/plan/planning-replies.ts";
import { costFooter, taskReplies } from "../../../core/report/github/tasks/task-replies.ts";
import { taskEnd } from "../../../core/report/terminal/task-end.ts";
import { nextWords } from "../../../core/report/texts/next-words.ts";
import { sandboxTexts } from "../../../core/report/texts/sandbox-texts.ts";
import { taskTexts } from "../../../core/report/texts/task-texts.ts";
import { isDropped } from "../../../core/task/is-dropped.ts";
import { defaultsAt, patienceOf } from "../../../core/task/patience.ts";
import type { Task } from "../../../core/task/task.ts";
import type { TaskOutcome } from "../../../core/task/task-events.ts";
import { routeOfTask } from "../../../core/task/task-role.ts";
import { unreadWords } from "../../../core/task/unread-words.ts";
import { wishOf } from "../../../core/task/wish-of.ts";
import { refusedFor, type TaskChannel, type WhyNot } from "../../task/task-channel.ts";
import type { Host, RepoEngine } from "../host.ts";
import { deliverAudit } from "./deliver-audit.ts";
import { deliverPlan } from "./deliver-plan.ts";
import { deliverRevision, planToAmend } from "./deliver-revision.ts";
import type { Delivered } from "./delivered.ts";
import { earlierFindings } from "./earlier-findings.ts";
import { fetchScope } from "./fetch-scope.ts";

/**
 * A thread on GitHub. One comment per task says that somebody is at it, and later what came of it; questions, a reminder
 * and the defaults have comments of their own, because people have to be told of them.
 */
export function createThreadChannel(host: Host, engine: RepoEngine): TaskChannel {
  const comment = (task: Task, name: string, body: string): Promise<{ readonly comment: number }> =>
    engine.threads.comment(threadOf(task), `task-${task.id}-${name}`, body);
  return {
    async fetch(task) {
      await assertStillAllowed(engine, task);
      await fetchScope(engine, task);
    },
    async ask(task) {
      const { assessment } = task;
      const wish = wishOf(task);
      const { remindMs, defaultMs } = patienceOf(wish);
      const questions = planningReplies.questions(assessment?.questions ?? [], {
        depth: wish.depth,
        why: assessment?.why ?? "",
        remindIn: remindMs,
        defaultIn: defaultMs,
      });
      return { ...(await comment(task, "questions", questions)), answers: null };
    },
    async remind(task) {
      const now = engine.now();
      const defaultIn = defaultsAt(task, wishOf(task), now) - now;
      const questions = task.assessment?.questions ?? [];
      await comment(task, "reminder", planningReplies.reminder(questions, task.given, defaultIn));
    },
    async sayDefaults({ assessment, answers, ...task }) {
      const body = planningReplies.defaultsTaken(assessment?.questions ?? [], answers ?? []);
      await comment({ ...task, assessment, answers }, "defaults", body);
    },
    earlierFindings: (task) => earlierFindings(engine, task),
    planToAmend: (task) => planToAmend(host, engine, task),
    deliver: (task) => tell(engine, task, () => deliver(host, engine, task)),
    giveUp: (task, why) =>
      tell(engine, task, async () => {
        const there = whatIsThere(engine, task, why.reason && `${why.reason} ${why.next}`.trimEnd());
        return there ?? gaveUp(task, why);
      }),
  };
}

/** Between a command and its agent there may be days, and people leave. Throws when GitHub can't say (T1). */
async function assertStillAllowed({ people }: RepoEngine, { kind, origin }: Task): Promise<void> {
  if (!origin) return;
  const role = await people.roleOf({ login: origin.by, id: origin.byId });
  const verb = kind === "plan" ? "run" : kind;
  if (mayUse(verb, role)) return;
  throw new UserError(taskTexts.roleLost({ by: origin.by, verb, least: COMMANDS[verb].role, role }), {
    next: taskTexts.roleLostNext(),
  });
}

/** What was found out and paid for, and could not be handed over as it should be: in one comment rather than lost. */
function whatIsThere({ webUrl }: RepoEngine, task: Task, why: string | null): Delivered | null {
  const { kind, text, answer, result, commit } = task;
  if (isDropped(task)) return null;
  if (answer !== null) return { text: taskReplies.answered(text, answer), outcome: { kind: "answered" } };
  if (!result || !isAudit(kind)) return null;
  return {
    text: taskReplies.auditInOne(kind, result, { blob: `${webUrl}/blob/${commit}` }, why),
    // Nothing of it is sure to stand on a line.
    outcome: { kind: "audited", findings: result.findings.length, stale: true },
  };
}

/** Words that Loom could not put on lines may still be of use to people. */
function gaveUp(task: Task, why: WhyNot): Delivered {
  const end = taskEnd(task, why);
  const words = unreadWords(task);
  const text =
    words !== null && isAudit(task.kind)
      ? taskReplies.unreadable(task.kind, words, why.failure?.kind === "contract-unmet" ? null : end)
      : taskReplies.failed(task.kind, end);
  return { text, outcome: refusedFor({ ...why, next: end.next }) };
}

async function deliver(host: Host, engine: RepoEngine, task: Task): Promise<Delivered> {
  const { cancelledBy, kind } = task;
  if (cancelledBy !== null && isDropped(task))
    return {
      text: cancelledText(kind, cancelledBy),
      outcome: { kind: "cancelled", by: cancelledBy },
    };
  if (kind === "plan") return deliverPlan(host, engine, task);
  if (kind === "revise") return deliverRevision(host, engine, task);
  if (kind === "ask")
    return { text: taskReplies.answered(task.text, task.answer ?? ""), outcome: { kind: "answered" } };
  const audited = await deliverAudit(host, engine, task);
  if (cancelledBy === null) return audited;
  return { ...audited, text: `${audited.text.trimEnd()}\n\n${taskReplies.cancelledLate(cancelledBy)}` };
}

function cancelledText(kind: TaskKind, by: string): string {
  if (kind === "plan") return planningReplies.cancelled(by);
  return kind === "revise" ? planningReplies.revisionCancelled(by) : taskReplies.cancelled(by);
}

/** The outcome, with what it cost. What a person has to fix is told like any other outcome. */
async function tell(engine: RepoEngine, task: Task, work: () => Promise<Delivered>): Promise<TaskOutcome> {
  const { text, outcome } = await work().catch((error: unknown): Delivered => {
    if (!needsPerson(error)) throw error;
    const next = nextWords(error.next, "github");
    const there = whatIsThere(engine, task, `${error.message} ${next}`.trimEnd());
    if (there) return there;
    return {
      text: taskReplies.failed(task.kind, { reason: error.message, evidence: null, next }),
      outcome: { kind: "refused", reason: error.message, next },
    };
  });
  const parts = [text.trimEnd(), ...(task.unconfined ? [sandboxTexts.taskHadNone()] : []), costFooter(task)];
  await updateComment(engine, task, parts.join("\n\n"));
  return outcome;
}

/** The one comment of a task, made or changed. */
export async function updateComment(engine: RepoEngine, task: Task, body: string): Promise<void> {
  await engine.threads.comment(threadOf(task), `task-${task.id}`, body, task.line?.remark);
}

export function startedText(task: Task): string {
  const { kind, plan } = task;
  const { harness } = routeOfTask(task);
  if (kind === "plan") return planningReplies.started({ harness, express: plan?.workflow === "express" });
  return kind === "revise" ? planningReplies.revisionStarted(harness) : taskReplies.started(kind, harness);
}

function threadOf({ origin }: Task): number {
  if (!origin) throw new UserError("This was not asked for on GitHub.");
  return origin.issue;
}
