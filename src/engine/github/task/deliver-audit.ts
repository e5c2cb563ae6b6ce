import { type Audit, isAudit } from "../../../core/command/task-kinds.ts";
import { InternalError } from "../../../core/errors.ts";
import { findingKey, reviewKey } from "../../../core/findings/finding-keys.ts";
import type { KnownFindings } from "../../../core/findings/known-findings.ts";
import { type PlacedFinding, placeFindings } from "../../../core/findings/place-findings.ts";
import { type Reconciled, reconcile } from "../../../core/findings/reconcile.ts";
import {
  type FileLinks,
  isSection,
  rewriteSections,
  strikeFindings,
} from "../../../core/report/github/tasks/finding-sections.ts";
import { type ReviewContent, taskReplies } from "../../../core/report/github/tasks/task-replies.ts";
import type { Task } from "../../../core/task/task.ts";
import type { AuditResult, FindingFates } from "../../../core/task/task-events.ts";
import { parseDiff, parsePatch } from "../../../core/text/parse-diff.ts";
import { timestamp } from "../../engine.ts";
import { TASKS } from "../../task/task-context.ts";
import type { Host, RepoEngine } from "../host.ts";
import type { Delivered } from "./delivered.ts";
import { earlierFindings, knownBefore } from "./earlier-findings.ts";
import { fetchScope } from "./fetch-scope.ts";

/** GitHub shows no larger change line by line either. */
const MAX_DIFF_BYTES = 20_000_000;

const FINDING_WORDS = { remarkBody: taskReplies.remarkBody, isSection };

type Audited = {
  readonly task: Task;
  readonly pr: number;
  readonly audit: Audit;
  readonly result: AuditResult;
  readonly links: FileLinks;
};

/** On a pull request one review with remarks on lines, once for each finding; elsewhere one comment that holds all. */
export async function deliverAudit(
  host: Pick<Host, "warn">,
  engine: RepoEngine,
  task: Task,
): Promise<Delivered> {
  const { kind, result, scope, commit } = task;
  if (!isAudit(kind) || !result) throw new InternalError(`the task ${task.id} has found nothing out`);
  const links: FileLinks = { blob: `${engine.webUrl}/blob/${commit}` };
  const outcome = { kind: "audited" as const, findings: result.findings.length };
  if (!scope?.pr) return { text: taskReplies.auditOnIssue(kind, result, links), outcome };
  const audited: Audited = { task, pr: scope.pr, audit: kind, result, links };
  const counts = await putOnLines(host, engine, audited);
  if (counts) return { text: taskReplies.auditSummary(kind, result, counts), outcome };
  const settled = new Set((await earlierFindings(engine, task)).settled.map(({ id }) => id));
  const news = { ...result, findings: result.findings.filter(({ id }) => !settled.has(id)) };
  return { text: taskReplies.auditOfOld(kind, news, links), outcome: { ...outcome, stale: true } };
}

/** null when the pull request has moved on: what was found is about lines that may not be there any more. */
async function putOnLines(
  host: Pick<Host, "warn">,
  engine: RepoEngine,
  audited: Audited,
): Promise<Parameters<typeof taskReplies.auditSummary>[2] | null> {
  const { task, pr, result } = audited;
  // Another worker may have read it.
  const head = await fetchScope(engine, task);
  // What was begun before it moved is ended.
  if (head !== task.commit && !task.fates) return null;
  const known = await knownBefore(engine, task);
  const placed = placeFindings(result.findings, parseDiff(await readDiff(engine, task)));
  const todo = reconcile({ known, result, placed, words: FINDING_WORDS });
  const fates = await writeFates(engine, task, todo.fates);
  const made = await makeReview(host, engine, audited, todo);
  if (!made) return null;
  const gone = await editRemarks(engine, todo, known, fates);
  const refused = await resolveRemarks(engine, todo, made);
  await rewriteTexts(engine, audited, todo);
  await strikeFixed(engine, pr, known, fates);
  const unresolved = fates.resolved.filter((id) => refused.has(id)).length;
  return {
    reviewed: todo.fresh.length + todo.freshElsewhere.length + fates.fresh.length > 0,
    fresh: fates.fresh.length,
    updated: fates.updated.length - gone,
    standing: fates.standing.length,
    settled: fates.settled.length,
    resolved: fates.resolved.length - unresolved,
    fixed: fates.struck.length + unresolved,
    unsaid: fates.unsaid.length,
    refused: unresolved,
  };
}

async function readDiff(engine: RepoEngine, { scope, commit }: Task): Promise<string> {
  const from = scope?.from ?? commit;
  return engine.workspaceFor({ id: TASKS }).diff(from, commit, { maxBytes: MAX_DIFF_BYTES });
}

/** Before anything is done: who goes on after a crash finds it done, and could not tell any more what was new. */
async function writeFates(engine: RepoEngine, { id }: Task, fates: FindingFates): Promise<FindingFates> {
  const written = await engine.tasks.write(id, (task) =>
    task.fates || task.outcome ? null : [{ type: "findings-sorted", at: timestamp(engine), fates }],
  );
  return (written ?? (await engine.tasks.get(id))).fates ?? fates;
}

/** What was put on lines now; null when the pull request has moved on. */
async function makeReview(
  { warn }: Pick<Host, "warn">,
  engine: RepoEngine,
  { task, pr, audit, result, links }: Audited,
  todo: Reconciled,
): Promise<ReadonlySet<string> | null> {
  const { fresh, freshElsewhere: elsewhere } = todo;
  const none: ReadonlySet<string> = new Set();
  if (fresh.length === 0 && elsewhere.length === 0) return none;
  const make = (content: ReviewContent) =>
    engine.reviews.review(pr, {
      key: reviewKey(task.id),
      head: task.commit,
      body: taskReplies.reviewBody(audit, result, content, links),
      remarks: content.onLines.map((placed) => ({
        key: findingKey(audit, placed.finding.id),
        path: placed.path,
        startLine: placed.startLine,
        line: placed.line,
        body: taskReplies.remarkBody(placed),
      })),
    });
  const first = await make({ onLines: fresh, elsewhere, refused: [] });
  if (first.kind !== "refused") return putBy(first.kind, fresh);
  warn(
    `GitHub refused remarks on the lines of #${pr}; those it does not show stand in the text`,
    first.reason,
  );
  const all = fresh.map(({ finding }) => finding);
  const patches = await engine.reviews.shownPatches(pr);
  const shown = placeFindings(
    all,
    patches.map(({ path, patch }) => parsePatch(path, patch ?? "")),
  );
  const second = await make({ onLines: shown.onLines, elsewhere, refused: shown.elsewhere });
  if (second.kind !== "refused") return putBy(second.kind, shown.onLines);
  // Better in one text than lost.
  const last = await make({ onLines: [], elsewhere, refused: all });
  if (last.kind === "refused") throw new InternalError(`GitHub refused the review of #${pr}: ${last.reason}`);
  return putBy(last.kind, []);
}

/** A review that was found is one of an earlier try: its remarks are among those that are there. */
function putBy(
  kind: "made" | "found" | "stale",
  onLines: readonly PlacedFinding[],
): ReadonlySet<string> | null {
  if (kind === "stale") return null;
  return new Set(kind === "found" ? [] : onLines.map(({ finding }) => finding.id));
}

/** How many of those that were to be changed people have deleted. */
async function editRemarks(
  engine: RepoEngine,
  { edit }: Reconciled,
  known: KnownFindings,
  fates: FindingFates,
): Promise<number> {
  const isThere = (id: string): boolean => {
    const { remarks = [], sections = [] } = known.get(id) ?? {};
    return remarks.length + sections.length > 0;
  };
  const gone = new Set(fates.updated.filter((id) => !isThere(id)));
  for (const { remark, body, id } of edit)
    if ((await engine.reviews.editRemark(remark, body)) === "gone") gone.add(id);
  return gone.size;
}

/** The findings whose conversations GitHub did not let Loom settle. */
async function resolveRemarks(
  engine: RepoEngine,
  { fresh, resolve }: Reconciled,
  made: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const refused = new Set<string>();
  // What was to move and did not stays where it is: resolved, it would count as settled by people.
  const stays = new Set(fresh.map(({ finding }) => finding.id).filter((id) => !made.has(id)));
  for (const { thread, id } of resolve.filter((one) => !stays.has(one.id)))
    if ((await engine.reviews.resolveRemark(thread)) === "refused") refused.add(id);
  return refused;
}

async function rewriteTexts(
  engine: RepoEngine,
  { pr, links }: Audited,
  { rewrite }: Reconciled,
): Promise<void> {
  for (const key of new Set(rewrite.map(({ review }) => review))) {
    const findings = rewrite.filter(({ review }) => review === key).map(({ finding }) => finding);
    await engine.reviews.editReview(pr, key, (body) => rewriteSections(body, findings, links));
  }
}

/** What no line could carry stands in the review that told it. */
async function strikeFixed(
  engine: RepoEngine,
  pr: number,
  known: KnownFindings,
  { struck, resolved }: FindingFates,
): Promise<void> {
  const ids = [...struck, ...resolved];
  const keys = new Set(ids.flatMap((id) => known.get(id)?.sections ?? []).map(({ review }) => review));
  for (const key of keys) await engine.reviews.editReview(pr, key, (body) => strikeFindings(body, ids));
}
