import type { RunId } from "../../../core/ids.ts";
import { amendTexts } from "../../../core/report/texts/amend-texts.ts";
import { isOfferStale, type Run } from "../../../core/run/run.ts";
import type { PlanAmended } from "../../../ports/github/plan-branch.ts";
import { timestamp } from "../../engine.ts";
import { acquireSoon } from "../acquire-soon.ts";
import type { RepoEngine } from "../host.ts";
import { type AmendParts, judgeAmendment } from "./judge-amendment.ts";
import { offerAmendment } from "./offer-amendment.ts";

export type AmendRequest = {
  readonly run: RunId;
  readonly planText: string;
  /** What Loom fixed in the planner's draft, or let pass. */
  readonly notes?: readonly string[];
  readonly by: string;
  /** The version of the plan that it was made from: what took its place since must not be lost. */
  readonly from?: number;
  /** Names the request, so that a second try after a crash is known as such. */
  readonly key: string;
};

export type AmendOutcome =
  | { readonly kind: "amended"; readonly pr: number }
  | { readonly kind: "unchanged" }
  | { readonly kind: "refused"; readonly problems: readonly string[] };

/**
 * Lets a run go on with another plan. First it is written down, which ends all work on what changed and voids the
 * approval; then the plan's branch and its pull request follow. A crash in between is made good by whoever looks at the
 * run next, or by the same request again: what was done is found, and the rest is done.
 */
export async function amendRun(
  engine: RepoEngine,
  parts: AmendParts,
  request: AmendRequest,
): Promise<AmendOutcome> {
  const lease = await acquireSoon(engine, amendLease(engine, request.run));
  if (lease.kind === "held") return refused(amendTexts.busy());
  try {
    return await amend(engine, parts, request);
  } finally {
    await lease.release();
  }
}

async function amend(engine: RepoEngine, parts: AmendParts, request: AmendRequest): Promise<AmendOutcome> {
  const { planText, by, key, notes = [] } = request;
  let run = await engine.runs.get(request.run);
  if (isOfferStale(run)) {
    const offered = await offerAmendment(engine, run.id);
    if (offered.kind !== "offered") return refusedBy(offered);
    run = await engine.runs.get(run.id);
  }
  if (run.amended?.key === key) return { kind: "amended", pr: run.offer?.pr ?? 0 };
  if (request.from !== undefined && request.from !== run.planVersion)
    return refused(amendTexts.editedMeanwhile(run.offer?.head ?? ""));
  const problem = await whyNotAmend(engine, run);
  if (problem !== null) return refused(problem);
  const judged = await judgeAmendment(engine, parts, run, planText);
  if (judged.kind !== "amended") return judged.kind === "refused" ? judged : { kind: "unchanged" };
  let late: readonly string[] = [];
  const written = await engine.runs.write(run.id, (current) => {
    const amendment = judged.again(current);
    late = amendment.kind === "refused" ? amendment.problems.map(amendTexts.problem) : [];
    if (current.planVersion !== run.planVersion || amendment.kind !== "amended") return null;
    const place = { head: null, blob: null };
    const told = { by, via: "command" as const, key, notes: [...notes] };
    return [{ type: "plan-amended", at: timestamp(engine), ...told, planText, ...place, ...judged.wishes }];
  });
  if (!written) return late.length > 0 ? { kind: "refused", problems: late } : refused(amendTexts.busy());
  const offered = await offerAmendment(engine, run.id);
  return offered.kind === "offered" ? { kind: "amended", pr: offered.pr } : refusedBy(offered);
}

/** What stands in the way of a change, whatever it would be; asked before an agent is sent to make one, too. */
export async function whyNotAmend(engine: RepoEngine, run: Run): Promise<string | null> {
  const { offer, refusedEdit } = run;
  if (!offer) return amendTexts.noPlan();
  const pull = await engine.pulls.pull(offer.pr);
  if (pull?.merged) return amendTexts.planMerged(offer.pr);
  if (!pull?.open) return amendTexts.planClosed(offer.pr);
  const head = pull.head.sha;
  // What is not shown yet is shown first.
  if (head === offer.head || isOfferStale(run)) return null;
  const blob = await engine.contents.blobOf(head, run.planPath);
  if (blob === offer.blob) return null;
  if (refusedEdit && refusedEdit.blob === blob)
    return amendTexts.editRefused(head, run.planPath, refusedEdit.problems[0] ?? "");
  await engine.queue.enqueue({ kind: "observe", repo: engine.repo, run: run.id });
  return amendTexts.editedMeanwhile(head);
}

function refusedBy(offered: Exclude<PlanAmended, { kind: "offered" }>): AmendOutcome {
  switch (offered.kind) {
    case "edited":
      return refused(amendTexts.editedMeanwhile(offered.head));
    case "merged":
      return refused(amendTexts.planMerged(offered.pr));
    case "closed":
      return refused(amendTexts.planClosed(offered.pr));
  }
}

function refused(problem: string): AmendOutcome {
  return { kind: "refused", problems: [problem] };
}

/** One change of a plan at a time: comments are found again, but two that are made at once would both be made. */
export function amendLease(engine: RepoEngine, run: RunId): string {
  return `amend/${engine.repo}/${run}`;
}
