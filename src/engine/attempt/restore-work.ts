import { cutsOff } from "../../core/failure/retry-policy.ts";
import type { Sha } from "../../core/ids.ts";
import type { StagePlan } from "../../core/plan/plan.ts";
import type { PromptContext } from "../../core/prompt/build-prompt.ts";
import type { PromptTexts } from "../../core/prompt/prompt-texts.ts";
import { namedFiles } from "../../core/run/named-files.ts";
import { type Run, type StageRecord, stageOf } from "../../core/run/run.ts";
import { parseHandOff } from "../../core/session/hand-off.ts";
import type { Workspace, WorkTree } from "../../ports/workspace.ts";
import type { Engine } from "../engine.ts";
import { type Claim, writeHeld } from "./claim.ts";
import { visibleDiff } from "./visible-diff.ts";

/** What one attempt works with. */
export type AttemptContext = {
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

/** What the tree of an attempt holds before its first session, as one commit, and what the agent has to know about it. */
export type RestoredWork = { readonly content: Sha; readonly context: PromptContext };

/** Lays earlier work or a conflict on top of the base. */
export async function restoreWork(attempt: AttemptContext): Promise<RestoredWork | "committed"> {
  const { workspace, tree, base, claim, run } = attempt;
  const { kept, conflict, failures: earlier, deaths, handOff: document } = stageOf(run, claim.stage);
  let content = kept?.commit ?? base;
  if (conflict && !kept) {
    const merge = await workspace.transplant(conflict.commit, base);
    if (merge.kind === "clean") {
      const files = await workspace.changedFiles(base, merge.commit);
      await writeHeld(attempt.engine, claim, {
        type: "attempt-committed",
        commit: merge.commit,
        base,
        ...namedFiles(files),
        stalled: false,
      });
      return "committed";
    }
    content = merge.content;
  }
  if (content !== base) await workspace.fill(tree, content);
  const changedSoFar = kept ? await visibleDiff(attempt, kept.base, kept.commit) : null;
  const handOff = document === null ? null : parseHandOff(document);
  const context: PromptContext = conflict
    ? { kind: "merge-conflict", changedSoFar: null, conflict: await bothSides(attempt, conflict), handOff }
    : { kind: kindOf(), changedSoFar, conflict: null, handOff };
  return { content, context };

  function kindOf(): PromptContext["kind"] {
    if (handOff) return "hand-off";
    const last = earlier.at(-1);
    if (last && !cutsOff(last.kind)) return "retry";
    return last || deaths > 0 || kept ? "recovery" : "stage";
  }
}

async function bothSides(
  attempt: AttemptContext,
  conflict: NonNullable<StageRecord["conflict"]>,
): Promise<NonNullable<PromptContext["conflict"]>> {
  return {
    files: conflict.files,
    ours: await visibleDiff(attempt, conflict.base, conflict.commit, { paths: conflict.files }),
    theirs: await visibleDiff(attempt, conflict.base, attempt.base, { paths: conflict.files }),
  };
}
