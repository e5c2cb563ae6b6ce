import { waits } from "../../core/report/texts/wait-texts.ts";
import { hasLine } from "../../core/run/merge-line.ts";
import { namedFiles } from "../../core/run/named-files.ts";
import { stageOf } from "../../core/run/run.ts";
import { assertHeld, type Claim, writeHeld } from "../attempt/claim.ts";
import type { Engine } from "../engine.ts";
import { timestamp } from "../engine.ts";

/**
 * `moved`: it stands on the target alone now, and is to be proved there. `stuck`: it can't, and the ledger says why.
 * `stays`: there was nothing below it but the target.
 */
export type LeftLine = "moved" | "stuck" | "stays";

/**
 * A proof that failed on top of work that is not merged says nothing about whose fault it is. So the stage is put on the target
 * without that work, and what it shows there counts.
 */
export async function leaveLine(engine: Engine, claim: Claim): Promise<LeftLine> {
  const run = await assertHeld(engine, claim);
  const { base, commit, files, moreFiles, stalled, stack } = stageOf(run, claim.stage);
  if (!hasLine(run) || base === null || commit === null || stack.length > 0) return "stays";
  const tip = await (await engine.forgeFor(run)).targetTip();
  const workspace = engine.workspaceFor(run);
  if (await workspace.isAncestor(base, tip)) return "stays";
  const { stage, attempt } = claim;
  const text = waits.provedApart();
  engine.feed({ kind: "activity", run: run.id, stage, attempt, at: timestamp(engine), text });
  const moved = await workspace.transplant(commit, tip);
  if (moved.kind === "conflict") {
    await writeHeld(engine, claim, { type: "merge-conflicted", commit, onto: tip, files: [...moved.files] });
    return "stuck";
  }
  await writeHeld(engine, claim, {
    type: "attempt-committed",
    commit: moved.commit,
    base: tip,
    ...namedFiles(files, moreFiles),
    stalled,
  });
  return "moved";
}
