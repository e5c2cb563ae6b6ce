import { cutsOff } from "../core/failure/retry-policy.ts";
import type { Sha } from "../core/ids.ts";
import type { StagePlan } from "../core/plan/plan.ts";
import { type Run, type StageRecord, stageOf } from "../core/run/run.ts";
import { parseHandOff } from "../core/session/hand-off.ts";
import type { SignalContext } from "../core/signal/build-signal.ts";
import type { PromptTexts } from "../core/signal/signal-texts.ts";
import type { Workspace, WorkTree } from "../ports/workspace.ts";
import { type Claim, writeHeld } from "./claim.ts";
import type { Engine } from "./engine.ts";
import { DIFF_BYTES } from "./save-work.ts";

/** What one attempt works with. */
export type Desk = {
  readonly engine: Engine;
  readonly claim: Claim;
  readonly run: Run;
  readonly plan: StagePlan;
  readonly workspace: Workspace;
  readonly tree: WorkTree;
  readonly base: Sha;
  /** Where the CLI keeps its conversations while the attempt lasts. */
  readonly home: string;
  readonly prompts: PromptTexts;
  readonly abort: AbortSignal;
};

/** Lays earlier work or a conflict on top of the base and says what the agent has to know about it. */
export async function layOut(desk: Desk): Promise<SignalContext | "committed"> {
  const { workspace, tree, base, claim, run } = desk;
  const { kept, conflict, failures: earlier, deaths, handOff: document } = stageOf(run, claim.stage);
  if (conflict && !kept) {
    const merge = await workspace.transplant(conflict.commit, base);
    if (merge.kind === "clean") {
      const files = await workspace.changedFiles(base, merge.commit);
      await writeHeld(desk.engine, claim, {
        type: "attempt-committed",
        commit: merge.commit,
        base,
        files,
        stalled: false,
      });
      return "committed";
    }
    await workspace.fill(tree, merge.content);
  } else if (kept) {
    await workspace.fill(tree, kept.commit);
  }
  const changedSoFar = kept ? await workspace.diff(kept.base, kept.commit, { maxBytes: DIFF_BYTES }) : null;
  const handOff = document === null ? null : parseHandOff(document);
  if (conflict)
    return { kind: "merge-conflict", changedSoFar: null, conflict: await bothSides(desk, conflict), handOff };
  return { kind: kindOf(), changedSoFar, conflict: null, handOff };

  function kindOf(): SignalContext["kind"] {
    if (handOff) return "hand-off";
    const last = earlier.at(-1);
    if (last && !cutsOff(last.kind)) return "retry";
    return last || deaths > 0 || kept ? "recovery" : "stage";
  }
}

async function bothSides(
  { workspace, base }: Desk,
  conflict: NonNullable<StageRecord["conflict"]>,
): Promise<NonNullable<SignalContext["conflict"]>> {
  const options = { maxBytes: DIFF_BYTES, paths: conflict.files };
  return {
    files: conflict.files,
    ours: await workspace.diff(conflict.base, conflict.commit, options),
    theirs: await workspace.diff(conflict.base, base, options),
  };
}
