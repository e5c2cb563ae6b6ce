import { InternalError } from "../../../core/errors.ts";
import type { RunId } from "../../../core/ids.ts";
import { escapeTitle } from "../../../core/markdown/escape-markdown.ts";
import type { Plan } from "../../../core/plan/plan.ts";
import { parsePlan } from "../../../core/plan/read/parse-plan.ts";
import { amendReplies } from "../../../core/report/github/plan/amend-replies.ts";
import { planDiff } from "../../../core/report/terminal/plan-diff.ts";
import { standingOf } from "../../../core/run/amend-plan.ts";
import type { RunEvent } from "../../../core/run/events.ts";
import { isOfferStale, type Run } from "../../../core/run/run.ts";
import type { PlanAmended } from "../../../ports/github/plan-branch.ts";
import { timestamp } from "../../engine.ts";
import type { RepoEngine } from "../host.ts";
import { describePlan } from "./describe-plan.ts";
import { planFiles } from "./offer-plan.ts";

/**
 * Shows people the plan that the run has now: on the plan's branch, in its pull request, and what changed in a comment. That
 * it is shown is written down last, so that a crash before that shows the rest. One at a time; see `amendLease`.
 */
export async function offerAmendment(engine: RepoEngine, id: RunId): Promise<PlanAmended> {
  const run = await engine.runs.get(id);
  const { offer } = run;
  if (!offer) throw new InternalError(`the plan of ${id} was changed before it was offered`);
  if (!isOfferStale(run)) return { kind: "offered", ...offer };
  const before = await offeredBefore(engine, run);
  const files = planFiles(run);
  const outcome = await engine.planBranch.amendOffer({
    run: id,
    files,
    remove: Object.keys(planFiles(run, before)).filter((path) => !Object.hasOwn(files, path)),
    planPath: run.planPath,
    replaces: offer.blob,
    adopts: run.amended?.blob ?? null,
    message: `Change the plan ${escapeTitle(run.origin?.title ?? id)}\n\nLoom-Run: ${id}`,
  });
  if (outcome.kind !== "offered") return outcome;
  const { pr, head, blob, since } = outcome;
  await engine.pulls.editPull(pr, await describePlan(engine, { ...run, offer: { ...offer, head } }));
  await tellAmended(engine, run, before, outcome);
  await engine.runs.write(id, (current) =>
    current.planVersion === run.planVersion && isOfferStale(current)
      ? [
          {
            type: "plan-offered",
            at: timestamp(engine),
            ...{ pr, head, blob },
            ...(since === null ? {} : { since }),
          },
        ]
      : null,
  );
  await engine.queue.enqueue({ kind: "show", repo: engine.repo, run: id });
  return outcome;
}

async function tellAmended(
  engine: RepoEngine,
  run: Run,
  before: Plan,
  { pr, head }: Extract<PlanAmended, { kind: "offered" }>,
): Promise<void> {
  const text = amendReplies.amended({
    diff: planDiff(before, run.plan),
    by: run.amended?.by ?? "",
    via: run.amended?.via ?? "command",
    head,
    kept: [...run.stages].flatMap(([id, record]) => {
      const standing = standingOf(record);
      return standing ? [{ id, standing }] : [];
    }),
    orphans: before.stages.flatMap(({ id }) => {
      const number = run.removed.get(id)?.pr ?? null;
      return number === null ? [] : [{ id, pr: number }];
    }),
    approval: { label: run.labels?.approve ?? "", leastRole: run.approverRole },
  });
  await engine.threads.comment(pr, `amended-${head}`, text);
  // It would look as if the plan were approved, and could not be set again.
  if (run.labels) await engine.threads.setLabels(pr, { add: [], remove: [run.labels.approve] });
}

/** The plan that people saw last. */
async function offeredBefore(engine: RepoEngine, run: Run): Promise<Plan> {
  const { events } = await engine.store.load(run.id);
  const last = events.findLastIndex(({ type }) => type === "plan-offered");
  return planOf(run, events.slice(0, last));
}

function planOf(run: Run, events: readonly RunEvent[]): Plan {
  const text = events.reduce(
    (known, event) =>
      event.type === "run-created" || event.type === "plan-amended" ? event.planText : known,
    run.planText,
  );
  const { plan } = parsePlan(text, { origin: "elsewhere" });
  if (!plan) throw new InternalError(`an earlier plan of run ${run.id} does not load`);
  return plan;
}
