import type { Command } from "../../../core/command/command.ts";
import type { Person } from "../../../core/command/delivery.ts";
import { renderHelp } from "../../../core/command/render-help.ts";
import type { Role } from "../../../core/command/role.ts";
import type { Audit } from "../../../core/command/task-kinds.ts";
import { assertNever } from "../../../core/errors.ts";
import { canBeTold } from "../../../core/planning/planning-parts.ts";
import { amendReplies } from "../../../core/report/github/plan/amend-replies.ts";
import { planningReplies } from "../../../core/report/github/plan/planning-replies.ts";
import { replies } from "../../../core/report/github/run/replies.ts";
import { panelView } from "../../../core/report/github/run/run-views.ts";
import type { Reply } from "../../../core/report/github/run/shelved.ts";
import { taskReplies } from "../../../core/report/github/tasks/task-replies.ts";
import { amendTexts } from "../../../core/report/texts/amend-texts.ts";
import { howItEnded } from "../../../core/run/amend-plan.ts";
import type { Run } from "../../../core/run/run.ts";
import {
  cancelRun,
  noteHeard,
  pauseRun,
  resumeRun,
  retryStages,
  skipStage,
  takeStage,
} from "../../run/steer-run.ts";
import type { Host, RepoEngine } from "../host.ts";
import { whyNotAmend } from "../plan/amend-run.ts";
import { approveRun } from "../plan/approve-run.ts";
import { readConfig } from "../plan/read-config.ts";
import { loadShown } from "../show/load-shown.ts";
import { unservedLabels } from "../show/unserved-labels.ts";
import { tasksAtWork } from "../task/find-tasks.ts";
import { aboutTask, announce, isLook, startTask } from "../task/start-task.ts";
import { archiveRun } from "./archive-run.ts";
import { findRun } from "./find-run.ts";
import { giveAnswer } from "./give-answer.ts";
import { goOn } from "./go-on.ts";
import { hearCommand } from "./hear-command.ts";
import type { IncomingComment } from "./incoming-comment.ts";
import { requestRun } from "./request-run.ts";

type Who = Person & { readonly role: Role };

/** Where something was said, by whom, and who does it. */
export type CommandCall = {
  readonly host: Host;
  readonly engine: RepoEngine;
  readonly incoming: IncomingComment;
  readonly who: Who;
  readonly signal: AbortSignal;
};

const good = (text: string): Reply => ({ ok: true, text });
const bad = (text: string): Reply => ({ ok: false, text });

/** Does what one command says and tells the outcome. Whether its author may has been asked already. */
export async function dispatchCommand(call: CommandCall, command: Command): Promise<Reply> {
  const { engine, incoming, who } = call;
  if (command.verb === "help") return good(renderHelp(who.role));
  if (command.verb === "run" || command.verb === "plan") return planned(call, command);
  if (isLook(command)) return startTask(call, { ...command, kind: command.verb, run: null });
  if (command.verb === "answer") return giveAnswer(engine, incoming, command.text);
  const about = await aboutTask(call, command);
  if (about) return about;
  const thread = await findRun(engine, incoming.number);
  if (!thread) return bad(await whyNoRun(call, command));
  const { run } = thread;
  // Who only looks may look again.
  const reply =
    command.verb === "status"
      ? await status(engine, run)
      : await hearCommand(engine, run, incoming, (gesture) => change(call, run, command, gesture));
  if (command.verb !== "revise") await goOn(engine, run.id);
  return reply;
}

async function status(engine: RepoEngine, run: Run): Promise<Reply> {
  return good(
    replies.status({
      ...panelView((await loadShown(engine, run.id)) ?? run, engine.now()),
      unserved: await unservedLabels(engine, run.id),
    }),
  );
}

async function change(
  call: CommandCall,
  run: Run,
  command: Steering | Extract<Command, { verb: "revise" }>,
  gesture: string,
): Promise<Reply> {
  if (command.verb === "revise") {
    const reply = await revise(call, run, command.text);
    if (reply.ok) await noteHeard(call.engine, run.id, gesture, "done");
    return reply;
  }
  if ("stage" in command && command.stage !== null && !run.stages.has(command.stage))
    return bad(replies.noSuchStage(command.stage, [...run.stages.keys()]));
  return steer(call, run, command, gesture);
}

/** An agent whose work could only be refused is not sent. */
async function revise(call: CommandCall, run: Run, text: string): Promise<Reply> {
  if (howItEnded(run)) return bad(planningReplies.nothingToRevise());
  const problem = canBeTold(run.plan) ? await whyNotAmend(call.engine, run) : amendTexts.tooLongToTell();
  return problem === null
    ? startTask(call, { kind: "revise", text, run: run.id, harness: null, budgetUsd: null })
    : bad(amendReplies.refusedAmendment([problem]));
}

async function whyNoRun(call: CommandCall, command: Command): Promise<string> {
  return command.verb === "revise" ? noPlanYet(call) : replies.noRun();
}

async function noPlanYet({ engine, incoming }: CommandCall): Promise<string> {
  const open = await tasksAtWork(engine, incoming.number);
  return open.some(({ kind }) => kind === "plan")
    ? taskReplies.busy("plan")
    : planningReplies.nothingToRevise();
}

async function planned(
  { host, engine, incoming, who, signal }: CommandCall,
  command: Extract<Command, { verb: "run" | "plan" }>,
): Promise<Reply> {
  const wish =
    command.verb === "run" ? command : { ...command, harness: null, budgetUsd: null, express: false };
  if (incoming.comment === null) {
    const { config } = await readConfig(engine);
    if (config && !config.autoRun) return bad(replies.noAutoRun());
  }
  const outcome = await requestRun(
    host,
    engine,
    {
      incoming,
      by: who,
      role: who.role,
      path: wish.path,
      text: wish.text,
      depth: wish.depth,
      harness: wish.harness,
      budgetUsd: wish.budgetUsd,
      express: wish.express,
    },
    signal,
  );
  if (outcome.kind === "started") {
    await announce(engine, outcome.task);
    return good("");
  }
  if (outcome.kind === "offered") await goOn(engine, outcome.run);
  return { ok: outcome.kind === "offered", text: replies.request(outcome) };
}

type Steering = Exclude<
  Command,
  { verb: "help" | "run" | "plan" | "answer" | "ask" | "revise" | "status" | Audit }
>;

async function steer(
  { engine, incoming, who }: CommandCall,
  run: Run,
  command: Steering,
  gesture: string,
): Promise<Reply> {
  switch (command.verb) {
    case "approve": {
      const { config, problems } = await readConfig(engine);
      if (!config) return bad(replies.brokenConfig(problems));
      const outcome = await approveRun(engine, run.id, config.approval.leastRole, {
        by: who,
        role: who.role,
        via: "command",
        sha: command.sha,
        at: incoming.at,
        gesture,
      });
      return { ok: outcome.kind === "approved", text: replies.approval(outcome, run.planPath) };
    }
    case "retry": {
      const stages = command.stage === null ? stuck(run) : [command.stage];
      if (stages.length === 0) return bad(replies.nothingToRetry());
      await retryStages(engine, run.id, stages, who.login, gesture);
      return good(replies.retrying(stages));
    }
    case "skip":
      await skipStage(engine, run.id, command.stage, who.login, gesture);
      return good(replies.skipped(command.stage));
    case "pause":
      await pauseRun(engine, run.id, who.login, gesture);
      return good(replies.paused());
    case "resume": {
      if (!canResume(run)) return bad(replies.nothingToResume());
      const goesOn = await resumeRun(engine, run.id, who.login, gesture);
      return goesOn ? good(replies.resumed()) : bad(replies.nothingToResume());
    }
    case "cancel":
      await cancelRun(engine, run.id, who.login, gesture);
      return good(replies.cancelled());
    case "take": {
      const branch = await takeStage(engine, run.id, command.stage, who.login, gesture);
      // Their commits may be there already.
      await engine.queue.enqueue({ kind: "observe", repo: engine.repo, run: run.id });
      return good(replies.taken(command.stage, branch));
    }
    case "archive":
      await archiveRun(engine, run, who.login, gesture);
      return good(replies.archived());
    default:
      return assertNever(command);
  }
}

/** A run that nobody paused goes on by itself, and one that waits for approval does not go on by a command. */
function canResume(run: Run): boolean {
  return run.status !== "running" || run.pausedBy !== null || stuck(run).length > 0;
}

/** Blocked by something of their own; what waits for them follows by itself. */
function stuck(run: Run): string[] {
  return [...run.stages].flatMap(([id, { state }]) =>
    state.kind === "blocked" && state.failure.kind !== "dependency" ? [id] : [],
  );
}
