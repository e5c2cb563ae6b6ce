import type { Sha } from "../core/ids.ts";
import { isMergedByPeople } from "../core/run/merged-by-people.ts";
import { stageOf } from "../core/run/run.ts";
import { assertHeld, type Claim } from "./claim.ts";
import type { Engine } from "./engine.ts";

/** A commit, and what it stands on. */
export type Standing = { readonly commit: Sha; readonly base: Sha };

/**
 * What this run merged while the agent worked comes below its work before anything is proved: a proof on what the target no
 * longer is would have to be given again before the merge. Where the two conflict, the work stays where it is; the merge
 * finds that out, and has a session resolve it. It also finds whatever others did to the target: here only the ledger is
 * asked. Branches that people merge are left alone.
 */
export async function standOnTarget(engine: Engine, claim: Claim, work: Standing): Promise<Standing> {
  const run = await assertHeld(engine, claim);
  const record = stageOf(run, claim.stage);
  const { tip } = run;
  if (tip === work.base || isMergedByPeople(run, record) || record.stack.length > 0) return work;
  const workspace = engine.workspaceFor(run);
  await (await engine.forgeFor(run)).fetch([tip]);
  // It began on something newer than Loom's last merge.
  if (!(await workspace.isAncestor(work.base, tip))) return work;
  const moved = await workspace.transplant(work.commit, tip);
  return moved.kind === "clean" ? { commit: moved.commit, base: tip } : work;
}
