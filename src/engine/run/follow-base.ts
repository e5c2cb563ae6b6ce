import { type Sha, stageBranch } from "../../core/ids.ts";
import { failures } from "../../core/report/texts/failure-texts.ts";
import { waits } from "../../core/report/texts/wait-texts.ts";
import { isMergedByPeople } from "../../core/run/merged-by-people.ts";
import { namedFiles } from "../../core/run/named-files.ts";
import { type Run, type StackParent, type StageRecord, stageOf } from "../../core/run/run.ts";
import type { MergeOutcome } from "../../ports/forge.ts";
import { assertHeld, type Claim, holds, writeHeld } from "../attempt/claim.ts";
import type { Engine } from "../engine.ts";
import { timestamp } from "../engine.ts";
import { proveAndPublish } from "../verify/prove-and-publish.ts";
import { type Foundation, foundationOf, sameStack } from "./foundation.ts";

/**
 * Moves the work onto what it has to stand on now and proves it there. Resolves with where it is, or with null when it
 * got stuck and the ledger says why.
 */
export async function followBase(
  engine: Engine,
  claim: Claim,
  run: Run,
  record: StageRecord,
  abort: AbortSignal,
): Promise<{ commit: Sha; onto: Sha } | null> {
  const commit = record.commit ?? "";
  const foundation = await foundationOf(engine, run, record);
  if (foundation.kind === "unsettled") {
    await waitToMerge(engine, claim, { ...waits.person(), retryMs: 1_000 });
    return null;
  }
  if (foundation.kind === "conflict") {
    const { files, stack } = foundation;
    await waitToMerge(engine, claim, { ...waits.parents(files), retryMs: null, stack });
    return null;
  }
  const onto = foundation.commit;
  const workspace = engine.workspaceFor(run);
  await (await engine.forgeFor(run)).fetch([commit]);
  if (!(await mustFollow(engine, run, record, foundation))) return { commit, onto };
  // What a person pushed is never rewritten: the new base is merged into it, as GitHub's own button would do.
  const moved =
    record.takenBy === null
      ? await workspace.transplant(commit, onto)
      : await joinOnto(engine, run, commit, onto);
  if (moved.kind === "conflict") {
    if (record.takenBy === null)
      await writeHeld(engine, claim, { type: "merge-conflicted", commit, onto, files: [...moved.files] });
    else await handBack(engine, claim, run, record.takenBy, moved.files);
    return null;
  }
  const isSame = moved.commit === commit && sameStack(record.stack, foundation.stack);
  if (!isSame) {
    // A new commit on a new base has been proved by nobody yet.
    await writeHeld(engine, claim, {
      type: "attempt-committed",
      commit: moved.commit,
      base: onto,
      ...namedFiles(record.files, record.moreFiles),
      stalled: record.stalled,
      stack: [...foundation.stack],
    });
    if (!(await proveAndPublish(engine, claim, abort))) return null;
  }
  return { commit: moved.commit, onto };
}

/**
 * Where people merge, a branch is left alone as long as its parents are and it can be merged: rewriting it would throw
 * reviews away.
 */
async function mustFollow(
  engine: Engine,
  run: Run,
  record: StageRecord,
  foundation: Extract<Foundation, { kind: "ready" }>,
): Promise<boolean> {
  if (!isMergedByPeople(run, record) || !sameStack(record.stack, foundation.stack)) return true;
  const joined = await joinOnto(engine, run, record.commit ?? "", foundation.commit);
  return joined.kind === "conflict";
}

/** An agent's resolution would replace the commits of the person who does this stage; so it is theirs to resolve. */
async function handBack(
  engine: Engine,
  claim: Claim,
  run: Run,
  by: string,
  files: readonly string[],
): Promise<void> {
  const { stage } = claim;
  const reason = failures.conflictsByHand(run.target, files).message;
  const branch = stageBranch(run.id, stage);
  await engine.runs.write(run.id, (current) =>
    holds(current, claim)
      ? [{ type: "stage-taken", at: timestamp(engine), stage, by, branch, reason }]
      : null,
  );
}

async function joinOnto(
  engine: Engine,
  run: Run,
  commit: Sha,
  onto: Sha,
): Promise<{ kind: "clean"; commit: Sha } | { kind: "conflict"; files: readonly string[] }> {
  const joined = await engine.workspaceFor(run).join([commit, onto]);
  return joined.kind === "joined" ? { kind: "clean", commit: joined.commit } : joined;
}

/** It can't be merged now: why, and when to ask again. */
export async function waitToMerge(
  engine: Engine,
  claim: Claim,
  {
    reason,
    next,
    retryMs,
    entered,
    stack,
  }: Omit<Extract<MergeOutcome, { kind: "waiting" }>, "kind"> & { readonly stack?: readonly StackParent[] },
): Promise<void> {
  const { waiting } = stageOf(await assertHeld(engine, claim), claim.stage);
  const until = retryMs === null ? null : engine.now() + patience(retryMs, waiting?.times ?? 0);
  await writeHeld(engine, claim, {
    type: "merge-waiting",
    reason,
    next,
    until,
    ...(entered ? { entered } : {}),
    ...(stack ? { stack: [...stack] } : {}),
  });
}

const SHORT_MS = 30_000;
const MOST_DOUBLINGS = 5;

/** A review that is due may be due for days: what was asked for in vain is asked for less and less often, news excepted. */
function patience(retryMs: number, times: number): number {
  return retryMs < SHORT_MS ? retryMs : retryMs * 2 ** Math.min(times, MOST_DOUBLINGS);
}
