import { mayUse } from "../../../core/command/commands.ts";
import type { DeliveryOf } from "../../../core/command/delivery.ts";
import { needsPerson } from "../../../core/errors.ts";
import { isId, type StageId } from "../../../core/ids.ts";
import { auditTexts } from "../../../core/report/audit/audit-texts.ts";
import { checkNames } from "../../../core/report/github/run/check-report.ts";
import { replies } from "../../../core/report/github/run/replies.ts";
import { retryStages, skipStage } from "../../run/steer-run.ts";
import type { RepoEngine } from "../host.ts";
import { approveRun } from "../plan/approve-run.ts";
import { CONFIG_CHECK, checkConfigAt } from "../plan/check-config.ts";
import { readConfig } from "../plan/read-config.ts";
import { forgetShown } from "../show/show-run.ts";
import { gestureOf } from "./gesture-of.ts";
import { goOn } from "./go-on.ts";

/** A button below a check run of Loom's, or its "Re-run". Whoever pressed it needs what the same command would need. */
export async function handleCheckRun(
  engine: RepoEngine,
  id: string,
  delivery: DeliveryOf<"check-run">,
): Promise<void> {
  if (delivery.action === "completed" || delivery.sender.bot) return;
  const isRerun = delivery.action === "rerequested";
  if (isRerun && delivery.externalId === CONFIG_CHECK) return checkConfigAt(engine, delivery.head);
  const { runId, stage, attempt, name } = readExternalId(delivery.externalId);
  const run = isId(runId) ? await engine.runs.load(runId) : null;
  if (!run || run.archived) return;
  const { login } = delivery.sender;
  const verb = isRerun ? "retry" : verbOf(delivery.button);
  if (!verb) return;
  const role = await engine.people.roleOf(delivery.sender);
  const record = stage === null ? undefined : run.stages.get(stage);
  const state = record?.state;
  // It was pressed for an attempt that others have followed: told again, or much too late (T33).
  const isPast = record !== undefined && record.attempts > attempt;
  // Running a check again that did not fail shows the same evidence again, to whoever asks.
  const isIdle = isRerun && (state?.kind !== "blocked" || state.failure.kind === "dependency");
  const may = mayUse(verb, role);
  const about = { run: runId, stage: stage ?? undefined, who: login };
  if (isPast && !isIdle)
    engine.audit.refused({
      ...{ boundary: "replay", rule: "past-attempt", ...about },
      what: auditTexts.pastAttempt(verb, attempt),
    });
  else if (!isIdle && !may)
    engine.audit.refused({
      boundary: "command",
      rule: "role",
      ...about,
      what: auditTexts.button(verb, role),
    });
  const problem = isIdle || isPast ? null : may ? await press() : replies.notAllowed(verb, role);
  // GitHub has reset what the check run shows; it is put back, changed or not.
  await forgetShown(engine, runId, name);
  await goOn(engine, runId);
  // Where the check run stands: a stage without a pull request shows on the plan.
  const thread = (stage === null ? null : run.stages.get(stage)?.pr) ?? run.offer?.pr ?? run.origin?.issue;
  if (problem !== null && thread !== undefined)
    await engine.threads.comment(thread, `button-${id}`, replies.toButton(login, problem));

  async function press(): Promise<string | null> {
    if (!run) return null;
    try {
      if (verb === "approve") {
        const { config, problems } = await readConfig(engine);
        if (!config) return replies.brokenConfig(problems);
        const outcome = await approveRun(engine, runId, config.approval.leastRole, {
          by: delivery.sender,
          role,
          via: "button",
          sha: delivery.head,
          at: null,
          gesture: gestureOf.button(delivery.head),
        });
        return outcome.kind === "approved" ? null : replies.approval(outcome, run.planPath);
      }
      if (stage === null) return null;
      if (verb === "retry") await retryStages(engine, runId, [stage], login);
      else await skipStage(engine, runId, stage, login);
      return null;
    } catch (error) {
      if (!needsPerson(error)) throw error;
      return replies.refusal(error.message, error.next);
    }
  }
}

/** `<run>` is the plan's check, `<run>/gate` the gate's, `<run>/<stage>/<attempt>` a stage's. */
function readExternalId(text: string): {
  runId: string;
  stage: StageId | null;
  attempt: number;
  name: string;
} {
  const [runId = "", part = "", attempt] = text.split("/");
  if (part === "") return { runId, stage: null, attempt: 0, name: checkNames.plan };
  return attempt === undefined
    ? { runId, stage: null, attempt: 0, name: checkNames.gate }
    : { runId, stage: part, attempt: Number(attempt), name: checkNames.stage(part) };
}

function verbOf(button: string | null): "retry" | "skip" | "approve" | null {
  return button === "retry" || button === "skip" || button === "approve" ? button : null;
}
