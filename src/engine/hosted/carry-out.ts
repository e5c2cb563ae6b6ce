import type { Command } from "../../core/command/command.ts";
import { renderHelp } from "../../core/command/render-help.ts";
import type { Role } from "../../core/command/role.ts";
import type { Person } from "../../core/delivery/delivery.ts";
import type { Audit } from "../../core/errand/errand-kinds.ts";
import { assertNever } from "../../core/errors.ts";
import { howItEnded } from "../../core/plan/amend-plan.ts";
import { canBeTold } from "../../core/planning/planning-parts.ts";
import { amendTexts } from "../../core/report/amend-texts.ts";
import { amendReplies } from "../../core/report/github/amend-replies.ts";
import { errandReplies } from "../../core/report/github/errand-replies.ts";
import { planningReplies } from "../../core/report/github/planning-replies.ts";
import { replies } from "../../core/report/github/replies.ts";
import { panelView } from "../../core/report/github/run-views.ts";
import type { Reply } from "../../core/report/github/shelved.ts";
import type { Run } from "../../core/run/run.ts";
import { cancelRun, pauseRun, resumeRun, retryStage, skipStage, takeStage } from "../steer-run.ts";
import { whyNotAmend } from "./amend-run.ts";
import { approveRun, gestureOf } from "./approve-run.ts";
import { aboutErrand, announce, entrust, isLook } from "./errands/entrust.ts";
import { errandsAtWork } from "./errands/find-errands.ts";
import { findRun } from "./find-run.ts";
import { giveAnswer } from "./give-answer.ts";
import { goOn } from "./go-on.ts";
import type { Host, RepoEngine } from "./host.ts";
import { loadShown } from "./load-shown.ts";
import { putAway } from "./put-away.ts";
import { readConfig } from "./read-config.ts";
import { requestRun } from "./request-run.ts";
import type { Said } from "./said.ts";
import { unservedLabels } from "./unserved-labels.ts";

type Who = Person & { readonly role: Role };

/** Where something was said, by whom, and who does it. */
export type CommandCall = {
  readonly host: Host;
  readonly engine: RepoEngine;
  readonly said: Said;
  readonly who: Who;
  readonly signal: AbortSignal;
};

const good = (text: string): Reply => ({ ok: true, text });
const bad = (text: string): Reply => ({ ok: false, text });

/** Does what one command says and tells the outcome. Whether its author may has been asked already. */
export async function carryOut(call: CommandCall, command: Command): Promise<Reply> {
  const { engine, said, who } = call;
  if (command.verb === "help") return good(renderHelp(who.role));
  if (command.verb === "run" || command.verb === "plan") return planned(call, command);
  if (isLook(command)) return entrust(call, { ...command, kind: command.verb, run: null });
  if (command.verb === "answer") return giveAnswer(engine, said, command.text);
  const about = await aboutErrand(call, command);
  if (about) return about;
  const thread = await findRun(engine, said.number);
  if (!thread) return bad(await whyNoRun(call, command));
  const { run } = thread;
  if (command.verb === "revise") return revise(call, run, command.text);
  if ("stage" in command && command.stage !== null && !run.stages.has(command.stage))
    return bad(replies.noSuchStage(command.stage, [...run.stages.keys()]));
  const reply = await steer(call, run, command);
  await goOn(engine, run.id);
  return reply;
}

/** An agent whose work could only be refused is not sent. */
async function revise(call: CommandCall, run: Run, text: string): Promise<Reply> {
  if (howItEnded(run)) return bad(planningReplies.nothingToRevise());
  const problem = canBeTold(run.plan) ? await whyNotAmend(call.engine, run) : amendTexts.tooLongToTell();
  return problem === null
    ? entrust(call, { kind: "revise", text, run: run.id, harness: null, budgetUsd: null })
    : bad(amendReplies.refusedAmendment([problem]));
}

async function whyNoRun(call: CommandCall, command: Command): Promise<string> {
  return command.verb === "revise" ? noPlanYet(call) : replies.noRun();
}

async function noPlanYet({ engine, said }: CommandCall): Promise<string> {
  const open = await errandsAtWork(engine, said.number);
  return open.some(({ kind }) => kind === "plan")
    ? errandReplies.busy("plan")
    : planningReplies.nothingToRevise();
}

async function planned(
  { host, engine, said, who, signal }: CommandCall,
  command: Extract<Command, { verb: "run" | "plan" }>,
): Promise<Reply> {
  const wish =
    command.verb === "run" ? command : { ...command, harness: null, budgetUsd: null, express: false };
  if (said.comment === null) {
    const { config } = await readConfig(engine);
    if (config && !config.autoRun) return bad(replies.noAutoRun());
  }
  const outcome = await requestRun(
    host,
    engine,
    {
      said,
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
  if (outcome.kind === "entrusted") {
    await announce(engine, outcome.errand);
    return good("");
  }
  if (outcome.kind === "offered") await goOn(engine, outcome.run);
  return { ok: outcome.kind === "offered", text: replies.request(outcome) };
}

async function steer(
  { engine, said, who }: CommandCall,
  run: Run,
  command: Exclude<Command, { verb: "help" | "run" | "plan" | "answer" | "ask" | "revise" | Audit }>,
): Promise<Reply> {
  switch (command.verb) {
    case "status":
      return good(
        replies.status({
          ...panelView((await loadShown(engine, run.id)) ?? run, engine.now()),
          unserved: await unservedLabels(engine, run.id),
        }),
      );
    case "approve": {
      const { config, problems } = await readConfig(engine);
      if (!config) return bad(replies.brokenConfig(problems));
      const outcome = await approveRun(engine, run.id, config.approval.leastRole, {
        by: who,
        role: who.role,
        via: "command",
        sha: command.sha,
        at: said.at,
        gesture: gestureOf.said(said),
      });
      return { ok: outcome.kind === "approved", text: replies.approval(outcome, run.planPath) };
    }
    case "retry": {
      const stages = command.stage === null ? stuck(run) : [command.stage];
      if (stages.length === 0) return bad(replies.nothingToRetry());
      for (const stage of stages) await retryStage(engine, run.id, stage, who.login);
      return good(replies.retrying(stages));
    }
    case "skip":
      await skipStage(engine, run.id, command.stage, who.login);
      return good(replies.skipped(command.stage));
    case "pause":
      await pauseRun(engine, run.id, who.login);
      return good(replies.paused());
    case "resume": {
      if (!canResume(run)) return bad(replies.nothingToResume());
      const before = run.version;
      const after = await resumeRun(engine, run.id, who.login);
      return after.version > before ? good(replies.resumed()) : bad(replies.nothingToResume());
    }
    case "cancel":
      await cancelRun(engine, run.id, who.login);
      return good(replies.cancelled());
    case "take": {
      const branch = await takeStage(engine, run.id, command.stage, who.login);
      // Their commits may be there already.
      await engine.queue.enqueue({ kind: "observe", repo: engine.repo, run: run.id });
      return good(replies.taken(command.stage, branch));
    }
    case "archive":
      await putAway(engine, run, who.login);
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
