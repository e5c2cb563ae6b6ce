import type { Sha } from "../../core/ids.ts";
import { endOfLine } from "../../core/run/merge-line.ts";
import { isMergedByPeople } from "../../core/run/merged-by-people.ts";
import type { NamedFiles } from "../../core/run/named-files.ts";
import { type Run, stageOf } from "../../core/run/run.ts";
import { assertHeld, type Claim, writeHeld, writeHeldIf } from "../attempt/claim.ts";
import type { Engine } from "../engine.ts";

/** A commit, and what it stands on. */
export type Standing = { readonly commit: Sha; readonly base: Sha };

/** Whoever finds the end of the line taken this often proves where it stands; the merge moves it then. */
const TRIES = 5;

/**
 * Writes down what the attempt has come to, on top of what its run merged while the agent worked and of what stands in line
 * before it (`merge-line.ts`): a proof on what the target no longer is would have to be given again before the merge. Where the
 * two conflict, the work stays where it is; the merge finds that out, and has a session resolve it. It also finds whatever
 * others did to the target: here only the ledger is asked. Branches that people merge are left alone.
 */
export async function commitInLine(
  engine: Engine,
  claim: Claim,
  work: Standing,
  facts: NamedFiles & { readonly stalled: boolean },
): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const run = await assertHeld(engine, claim);
    const record = stageOf(run, claim.stage);
    const isLeftAlone = isMergedByPeople(run, record) || record.stack.length > 0;
    const end = endOfLine(run, claim.stage);
    const standing = isLeftAlone ? work : await moveTo(engine, run, work, [end, run.tip]);
    const isStill = (current: Run): boolean => isLeftAlone || endOfLine(current, claim.stage) === end;
    if (await writeHeldIf(engine, claim, isStill, { type: "attempt-committed", ...standing, ...facts }))
      return;
  }
  await writeHeld(engine, claim, { type: "attempt-committed", ...work, ...facts });
}

/** On the first of these that it can be put on. */
async function moveTo(engine: Engine, run: Run, work: Standing, places: readonly Sha[]): Promise<Standing> {
  const workspace = engine.workspaceFor(run);
  for (const place of new Set(places)) {
    if (place === work.base) return work;
    await (await engine.forgeFor(run)).fetch([place]);
    // It began on something newer than Loom's last merge.
    if (!(await workspace.isAncestor(work.base, place))) continue;
    const moved = await workspace.transplant(work.commit, place);
    if (moved.kind === "clean") return { commit: moved.commit, base: place };
  }
  return work;
}
