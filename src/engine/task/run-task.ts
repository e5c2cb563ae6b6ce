import { assertNever } from "../../core/errors.ts";
import type { Millis } from "../../core/ids.ts";
import { completeAnswers } from "../../core/planning/answers/read-answers.ts";
import { whyGivenUp } from "../../core/report/texts/task-cause-texts.ts";
import { nextTaskStep, type TaskStep } from "../../core/task/next-task-step.ts";
import type { Task, TaskId } from "../../core/task/task.ts";
import type { GiveUpCause } from "../../core/task/task-cause.ts";
import type { Answer } from "../../core/task/task-events.ts";
import type { Feed } from "../../ports/feed.ts";
import { Interrupted } from "../attempt/interrupted.ts";
import { timestamp } from "../engine.ts";
import { degradePlan } from "./degrade-plan.ts";
import { planOn } from "./plan-on.ts";
import type { TaskChannel, WhyNot } from "./task-channel.ts";
import { claimTask, TaskLost, watchTask, writeTask } from "./task-claim.ts";
import { type TaskContext, withTaskContext } from "./task-context.ts";
import type { TaskEngine } from "./task-engine.ts";
import { tellWhatIsThere } from "./tell-what-is-there.ts";

export type TaskProgress =
  /** Nothing is left to do here: it is done, or somebody else is at it. */
  | { readonly kind: "done" }
  /** It goes on then, or when somebody answers. */
  | { readonly kind: "waiting"; readonly until: Millis | null };

/**
 * Goes on with a task until it is done or has to wait. Whoever dies in the middle is followed by another worker that
 * reads the ledger and takes the next step; what was said in a session that had not ended is lost, and nothing else.
 */
export async function runTask(
  engine: TaskEngine,
  id: TaskId,
  channel: TaskChannel,
  feed: Feed,
  signal: AbortSignal,
): Promise<TaskProgress> {
  const held = await claimTask(engine, id);
  if (!held) return { kind: "done" };
  const watch = watchTask(engine, held.claim, signal);
  try {
    for (;;) {
      const task = await engine.tasks.get(id);
      if (task.claim !== held.claim.token) return { kind: "done" };
      const step = nextTaskStep(task, engine.now());
      if (step.kind === "done") return { kind: "done" };
      if (step.kind === "wait") return { kind: "waiting", until: step.until };
      // A cancelled task has yet to say so; anything else stops here.
      if (watch.signal.aborted && task.cancelledBy === null) return { kind: "waiting", until: null };
      if (step.kind === "session") {
        // With the session that follows, so that whoever took them need not live to say so.
        if (tookDefaults(task)) await channel.sayDefaults(task);
        await channel.fetch(task);
        const turn = { engine, task, claim: held.claim, feed, abort: watch.signal };
        await withTaskContext(turn, (context) => hold(context, channel));
      } else await act(engine, task, channel, held.claim, step);
    }
  } catch (error) {
    if (error instanceof TaskLost) return afterwards(engine, id, channel);
    if (error instanceof Interrupted) return afterwards(engine, id, channel);
    throw error;
  } finally {
    watch.close();
    await held.release();
  }
}

/** A cancel came in between: whoever was at work says so. */
async function afterwards(engine: TaskEngine, id: TaskId, channel: TaskChannel): Promise<TaskProgress> {
  const task = await engine.tasks.get(id);
  if (task.cancelledBy === null || task.outcome) return { kind: "waiting", until: null };
  await finishTask(engine, task, await channel.deliver(task));
  return { kind: "done" };
}

/** As long as one session follows another, tree and conversation stay. */
async function hold(context: TaskContext, channel: TaskChannel): Promise<void> {
  const { engine, claim } = context;
  for (;;) {
    const task = await engine.tasks.get(claim.task);
    if (task.claim !== claim.token) throw new TaskLost(claim);
    const step = nextTaskStep(task, engine.now());
    if (step.kind !== "session") return;
    if (context.abort.aborted) throw new Interrupted();
    if (step.purpose === "answer" || step.purpose === "audit")
      await tellWhatIsThere(context, task, step.purpose, channel);
    else await planOn(context, task, step.purpose, channel);
  }
}

async function act(
  engine: TaskEngine,
  task: Task,
  channel: TaskChannel,
  claim: { readonly task: TaskId; readonly token: string },
  step: Exclude<TaskStep, { kind: "session" | "wait" | "done" }>,
): Promise<void> {
  switch (step.kind) {
    case "show-questions": {
      const { comment, answers } = await channel.ask(task);
      await writeTask(engine, claim, { type: "questions-shown", comment });
      if (answers) await answerQuestions(engine, task.id, () => answers);
      return;
    }
    case "remind":
      await channel.remind(task);
      await writeTask(engine, claim, { type: "questions-reminded" });
      return;
    case "take-defaults":
      await answerQuestions(engine, task.id, defaultsOf);
      return;
    case "degrade":
      await degradePlan(engine, claim, task, step, channel);
      return;
    case "deliver":
      await finishTask(engine, task, await channel.deliver(task));
      return;
    case "give-up":
      await finishTask(engine, task, await channel.giveUp(task, whyNot(step.cause)));
      return;
    default:
      assertNever(step);
  }
}

function whyNot(cause: GiveUpCause): WhyNot {
  return { reason: whyGivenUp(cause), next: "", failure: cause.kind === "failed" ? cause.failure : null };
}

/** Something was left unanswered, and nothing was made of that yet. */
function tookDefaults({ answers, sessionsBy }: Task): boolean {
  const isNews = !sessionsBy.has("design") && !sessionsBy.has("draft");
  return isNews && (answers ?? []).some(({ by }) => by === null);
}

function defaultsOf({ assessment }: Task): Answer[] {
  return completeAnswers(assessment?.questions ?? [], []);
}

/** The task with what `say` has to say to its questions; null when they are settled, or nobody asks any more. */
export async function answerQuestions(
  engine: TaskEngine,
  id: TaskId,
  say: (task: Task) => readonly (Answer | null)[],
  said?: string,
): Promise<Task | null> {
  const name = said === undefined ? {} : { said };
  return engine.tasks.write(id, (task) =>
    task.outcome || task.cancelledBy !== null || task.answers || !task.assessment
      ? null
      : [{ type: "questions-answered", at: timestamp(engine), answers: [...say(task)], ...name }],
  );
}

export async function cancelTask(engine: TaskEngine, id: TaskId, by: string): Promise<boolean> {
  const written = await engine.tasks.write(id, (task) =>
    task.outcome || task.cancelledBy !== null
      ? null
      : [{ type: "task-cancelled", at: timestamp(engine), by }],
  );
  return written !== null;
}

/** Whoever is first says how it ended. */
export async function finishTask(
  engine: TaskEngine,
  { id }: Task,
  outcome: NonNullable<Task["outcome"]>,
): Promise<void> {
  await engine.tasks.write(id, (task) =>
    task.outcome ? null : [{ type: "task-finished", at: timestamp(engine), outcome }],
  );
}
