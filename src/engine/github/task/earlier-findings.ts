import { isAudit } from "../../../core/command/task-kinds.ts";
import {
  type EarlierFinding,
  type EarlierFindings,
  NO_FINDINGS,
} from "../../../core/findings/earlier-finding.ts";
import { reviewKey } from "../../../core/findings/finding-keys.ts";
import {
  type KnownFinding,
  type KnownFindings,
  knownFindings,
  openRemarks,
  type Told,
} from "../../../core/findings/known-findings.ts";
import type { Task } from "../../../core/task/task.ts";
import type { RepoEngine } from "../host.ts";
import { tasksOfThread } from "./find-tasks.ts";

/** What earlier audits of this kind left on the pull request: their remarks on lines, and what no line could carry. */
export async function earlierFindings(engine: RepoEngine, task: Task): Promise<EarlierFindings> {
  const known = await knownBefore(engine, task);
  const all = [...known.values()];
  if (all.length === 0) return NO_FINDINGS;
  return {
    open: all.filter(({ state }) => state === "open").map(describe),
    settled: all.filter(({ state }) => state === "settled").map(describe),
    ids: [...known.keys()],
  };
}

function describe(known: KnownFinding): EarlierFinding {
  const { id, finding } = known;
  const remark = openRemarks(known)[0] ?? known.remarks[0];
  const section = known.sections.at(-1);
  const [first = ""] = remark?.body.split("\n", 1) ?? [];
  return {
    id,
    title: finding?.title ?? section?.title ?? first.replace(/^\*\*\w+:\*\* /, ""),
    text: finding ? `${finding.title}\n\n${finding.body}` : (remark?.body ?? section?.text ?? ""),
    file: remark?.path ?? finding?.file ?? section?.file ?? null,
    line: remark ? remark.line : (finding?.line ?? section?.line ?? null),
    replies: remark?.replies ?? [],
  };
}

/** What this audit itself has put there in an earlier try is not from before it. */
export async function knownBefore(engine: RepoEngine, task: Task): Promise<KnownFindings> {
  const { scope, kind } = task;
  if (!scope?.pr || !isAudit(kind)) return new Map();
  const reviews = await engine.reviews.reviewTexts(scope.pr);
  return knownFindings(kind, {
    told: await toldBefore(engine, task),
    remarks: await engine.reviews.lineRemarks(scope.pr),
    reviews: reviews.filter(({ key }) => key !== reviewKey(task.id)),
  });
}

/**
 * By earlier tasks, as the ledger has it. What was only told of a head that is gone has yet to be put on lines, so an audit
 * of the new one finds it as if for the first time.
 */
async function toldBefore(engine: RepoEngine, task: Task): Promise<ReadonlyMap<string, Told>> {
  const told = new Map<string, Told>();
  const before = (await tasksOfThread(engine, task.origin?.issue ?? 0)).filter(
    ({ id, kind, origin }) => id !== task.id && kind === task.kind && origin?.issue === task.origin?.issue,
  );
  const setFixed = (id: string, fixed: boolean): void => {
    const known = told.get(id);
    if (known) told.set(id, { ...known, fixed });
  };
  for (const { result, fates, outcome } of before.sort((a, b) => a.createdAt.localeCompare(b.createdAt))) {
    if (outcome?.kind !== "audited" || outcome.stale) {
      // What it had settled before it broke off is settled by Loom, and by nobody else; what it struck can be seen.
      for (const id of fates?.resolved ?? []) setFixed(id, true);
      continue;
    }
    for (const finding of result?.findings ?? []) told.set(finding.id, { finding, fixed: false });
    for (const { id, state } of result?.earlier ?? []) setFixed(id, state === "fixed");
  }
  return told;
}
