import { planBranch, type Sha } from "../../../core/ids.ts";
import { amendReplies } from "../../../core/report/github/plan/amend-replies.ts";
import { amendTexts } from "../../../core/report/texts/amend-texts.ts";
import { isOfferStale, type Run } from "../../../core/run/run.ts";
import type { PullFacts } from "../../../ports/github/pulls.ts";
import { timestamp } from "../../engine.ts";
import type { RepoEngine } from "../host.ts";
import { amendLease } from "./amend-run.ts";
import { type AmendParts, type Judged, judgeAmendment } from "./judge-amendment.ts";
import { offerAmendment } from "./offer-amendment.ts";

/**
 * Somebody pushed to the plan's branch. Where the plan itself is another one now, the run goes on with it once it is
 * approved; where it can't, that is said, and nothing can be approved before it is fixed. True when the run is not as it
 * was, so that whatever else was seen has to be looked at again.
 */
export async function adoptPlanPush(
  engine: RepoEngine,
  parts: AmendParts,
  run: Run,
  pull: PullFacts | null,
): Promise<boolean> {
  if (!run.offer || run.cancelledBy !== null || !pull?.open) return false;
  if (!pull.head.sameRepository || pull.head.ref !== planBranch(run.id)) return false;
  if (!isOfferStale(run) && !(await isEdited(engine, run, pull.head.sha))) return false;
  const lease = await engine.leases.acquire(amendLease(engine, run.id));
  if (lease.kind === "held") {
    await lookAgain(engine, run);
    return false;
  }
  try {
    return await take(engine, parts, run, pull);
  } finally {
    await lease.release();
  }
}

async function isEdited(
  engine: RepoEngine,
  { offer, approval, refusedEdit, planPath }: Run,
  head: Sha,
): Promise<boolean> {
  if (head === offer?.head || head === refusedEdit?.head) return false;
  // What was approved there had been looked at.
  if (approval.kind === "given" && approval.head === head) return false;
  return (await engine.contents.blobOf(head, planPath)) !== offer?.blob;
}

async function take(engine: RepoEngine, parts: AmendParts, seen: Run, pull: PullFacts): Promise<boolean> {
  const { id } = seen;
  const run = await engine.runs.get(id);
  let head = pull.head.sha;
  if (isOfferStale(run)) {
    // Somebody was cut off between writing a change down and showing it.
    const offered = await offerAmendment(engine, id);
    if (offered.kind !== "edited") return true;
    head = offered.head;
  } else if (run.planVersion !== seen.planVersion) return true;
  if (run.refusedEdit?.head === head) return false;
  const by = await pusherOf(engine, head);
  const blob = await engine.contents.blobOf(head, run.planPath);
  const planText = blob === null ? null : await engine.contents.readFile(head, run.planPath, MAX_BYTES);
  const judged = await judge(engine, parts, run, blob, planText);
  if (judged.kind === "refused") {
    await refuse(engine, run, { by, head, blob, problems: judged.problems });
    return true;
  }
  const written = await engine.runs.write(id, (current) =>
    current.planVersion === run.planVersion && judged.again(current).kind !== "refused"
      ? [
          {
            type: "plan-amended",
            at: timestamp(engine),
            by,
            via: "push",
            planText: planText ?? "",
            head,
            blob,
            ...judged.wishes,
          },
        ]
      : null,
  );
  if (written) await offerAmendment(engine, id);
  return true;
}

const MAX_BYTES = 1_000_000;

async function judge(
  engine: RepoEngine,
  parts: AmendParts,
  run: Run,
  blob: Sha | null,
  planText: string | null,
): Promise<Judged> {
  if (planText !== null) return judgeAmendment(engine, parts, run, planText);
  const problem = blob === null ? amendTexts.missing(run.planPath) : amendTexts.tooLarge(run.planPath);
  return { kind: "refused", problems: [problem] };
}

/** Told first: a crash in between tells it again, which is found. */
async function refuse(
  engine: RepoEngine,
  run: Run,
  edit: { by: string; head: Sha; blob: Sha | null; problems: readonly string[] },
): Promise<void> {
  const { by, head, blob } = edit;
  const problems = edit.problems.slice(0, MAX_PROBLEMS);
  const pr = run.offer?.pr ?? 0;
  await engine.threads.comment(
    pr,
    `edit-${head}`,
    amendReplies.invalidEdit(by, head, run.planPath, edit.problems),
  );
  if (run.labels) await engine.threads.setLabels(pr, { add: [], remove: [run.labels.approve] });
  await engine.runs.write(run.id, (current) =>
    current.planVersion === run.planVersion && current.refusedEdit?.head !== head
      ? [{ type: "plan-edit-refused", at: timestamp(engine), by, head, blob, problems }]
      : null,
  );
}

const MAX_PROBLEMS = 30;
const SOON_MS = 1_000;

async function lookAgain(engine: RepoEngine, run: Run): Promise<void> {
  await engine.queue.enqueue({ kind: "observe", repo: engine.repo, run: run.id }, { delayMs: SOON_MS });
}

/** Only the message of a push says whose it was. */
export async function rememberPusher(engine: RepoEngine, head: Sha, login: string): Promise<void> {
  await engine.cache.set(`pusher/${head}`, login, { ttlMs: DAY_MS });
}

const DAY_MS = 86_400_000;

async function pusherOf(engine: RepoEngine, head: Sha): Promise<string> {
  return (await engine.cache.get(`pusher/${head}`)) ?? amendTexts.somebody();
}
