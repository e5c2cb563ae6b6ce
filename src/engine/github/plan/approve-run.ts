import type { ApprovalOutcome } from "../../../core/command/approval-outcome.ts";
import type { Person } from "../../../core/command/delivery.ts";
import { isAtLeast, type Role } from "../../../core/command/role.ts";
import { planBranch, type RunId, type Sha, type Timestamp } from "../../../core/ids.ts";
import { auditTexts } from "../../../core/report/audit/audit-texts.ts";
import type { RunEventOf } from "../../../core/run/events.ts";
import { isOfferStale, type Run } from "../../../core/run/run.ts";
import type { PullFacts } from "../../../ports/github/pulls.ts";
import { timestamp } from "../../engine.ts";
import type { RepoEngine } from "../host.ts";

export type ApprovalRequest = {
  readonly by: Person;
  readonly role: Role;
  readonly via: RunEventOf<"run-approved">["via"];
  /** The commit that the person saw; at least its beginning. null: whatever stands there now. */
  readonly sha: string | null;
  /** When they said so, by GitHub's clock; null: with the request for the run, or of a commit that they named. */
  readonly at: Timestamp | null;
  /** What they did; see `gestureOf`. */
  readonly gesture: string | null;
  /** The plan's pull request, where it has just been read. */
  readonly pull?: PullFacts;
};

/**
 * An approval is about one commit and one plan, given by somebody who may (T4, T5). Both are read from GitHub at this
 * moment, never from the message that asked; what they were is written down, and asked for again before each stage.
 */
export async function approveRun(
  engine: RepoEngine,
  id: RunId,
  least: Role,
  request: ApprovalRequest,
): Promise<ApprovalOutcome> {
  const outcome = await judgeApproval(engine, id, least, request);
  switch (outcome.kind) {
    case "role":
    case "foreign":
    case "moved":
    case "pushed":
    case "changed":
    case "older":
    case "used": {
      const { by, via, role } = request;
      const what = auditTexts.approval(via, role);
      engine.audit.refused({ boundary: "approval", rule: outcome.kind, run: id, who: by.login, what });
      return outcome;
    }
    default:
      return outcome;
  }
}

async function judgeApproval(
  engine: RepoEngine,
  id: RunId,
  least: Role,
  request: ApprovalRequest,
): Promise<ApprovalOutcome> {
  const run = await engine.runs.get(id);
  if (!isAtLeast(request.role, least)) return { kind: "role", least };
  if (run.status !== "running") return { kind: "ended" };
  if (!run.offer) return { kind: "no-plan" };
  const pull = request.pull ?? (await engine.pulls.pull(run.offer.pr));
  if (!pull || (!pull.open && !pull.merged)) return { kind: "closed" };
  if (!pull.head.sameRepository || pull.head.ref !== planBranch(id)) return { kind: "foreign" };
  const head = pull.head.sha;
  if (request.sha !== null && !head.startsWith(request.sha))
    return { kind: "moved", seen: request.sha, head };
  if (run.approval.kind === "given" && run.approval.head === head)
    return { kind: "already", by: run.approval.by };
  if (request.gesture !== null && run.gestures.has(request.gesture)) return { kind: "used", head };
  // At the commit that Loom itself made stands what Loom put there.
  const blob = head === run.offer.head ? run.offer.blob : await engine.contents.blobOf(head, run.planPath);
  if (blob !== run.offer.blob || isOfferStale(run)) return changed(engine, run, head, blob);
  if (request.sha === null && request.at !== null) {
    // Who names no commit means the plan as they saw it. When somebody else's commit came there is nobody's to say.
    if (head !== run.offer.head) return { kind: "pushed", head };
    if (Date.parse(request.at) < Date.parse(run.offer.since)) return { kind: "older", head };
  }
  const written = await engine.runs.write(id, (current) => {
    const { approval } = current;
    // One that was given for another commit does not count any more, whether somebody has noticed yet or not.
    const isOpen = approval.kind === "awaited" || (approval.kind === "given" && approval.head !== head);
    if (current.status !== "running" || !isOpen || current.planVersion !== run.planVersion) return null;
    const { by, role, via, gesture } = request;
    if (gesture !== null && current.gestures.has(gesture)) return null;
    const who = { by: by.login, byId: by.id, role };
    const named = gesture === null ? {} : { gesture };
    return [{ type: "run-approved", at: timestamp(engine), ...who, head, blob, via, ...named }];
  });
  if (written) return { kind: "approved", head };
  const { approval, status, planVersion } = await engine.runs.get(id);
  if (planVersion !== run.planVersion) return { kind: "changed", head, problems: null };
  return approval.kind === "given" && status === "running"
    ? { kind: "already", by: approval.by }
    : { kind: "ended" };
}

async function changed(
  engine: RepoEngine,
  { id, refusedEdit }: Run,
  head: Sha,
  blob: Sha | null,
): Promise<ApprovalOutcome> {
  const isKnown = refusedEdit !== null && refusedEdit.blob === blob;
  if (!isKnown) await engine.queue.enqueue({ kind: "observe", repo: engine.repo, run: id });
  return { kind: "changed", head, problems: isKnown ? refusedEdit.problems : null };
}

/** Looked at again before each stage: a webhook that told of a push may have been lost. */
export async function stillApproved(engine: RepoEngine, run: Run): Promise<boolean> {
  const { approval, offer } = run;
  if (approval.kind !== "given" || !offer) return approval.kind === "not-needed";
  const pull = await engine.pulls.pull(offer.pr);
  if ((pull?.merged || pull?.open) && pull.head.sha === approval.head) return true;
  // What exactly happened is found and written down by the one who looks at everything.
  await engine.queue.enqueue({ kind: "observe", repo: engine.repo, run: run.id });
  return false;
}
