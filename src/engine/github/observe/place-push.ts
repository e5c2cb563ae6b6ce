import type { Sha } from "../../../core/ids.ts";
import type { Run, StackParent, StageRecord } from "../../../core/run/run.ts";
import type { RepoEngine } from "../host.ts";

/** What people brought onto a stage's branch, and what it stands on. */
export type Push = {
  readonly commit: Sha;
  readonly base: Sha;
  readonly stack: readonly StackParent[];
  /** The pull request by whose merge it came. */
  readonly pr: number | null;
};

/**
 * Where a person's work begins: at what the stage stood on, at the branch of a dependency that is not merged, else at what
 * it shares with the target. null when the commit can't be had, or shares nothing.
 */
export async function placePush(
  engine: RepoEngine,
  run: Run,
  record: StageRecord,
  { tip, target, pr }: { tip: Sha; target: Sha; pr: number | null },
): Promise<Push | null> {
  const forge = await engine.forgeFor(run);
  if ((await forge.fetch([tip])).length > 0) return null;
  const workspace = engine.workspaceFor(run);
  const common = { commit: tip, pr };
  const { base, stack } = record;
  if (base !== null && stack.length > 0 && (await workspace.isAncestor(base, tip)))
    return { ...common, base, stack };
  for (const parent of offeredParents(run, record)) {
    const missing = await forge.fetch([parent.tip]);
    if (missing.length === 0 && (await workspace.isAncestor(parent.tip, tip)))
      return { ...common, base: parent.tip, stack: [parent] };
  }
  const shared = await workspace.mergeBase(tip, target);
  return shared === null ? null : { ...common, base: shared, stack: [] };
}

function offeredParents(run: Run, { plan }: StageRecord): StackParent[] {
  return plan.dependencies.flatMap((id) => {
    const { state, branch } = run.stages.get(id) ?? {};
    const isOffered = state?.kind === "executing" && state.phase === "published";
    return isOffered && branch ? [{ stage: id, tip: branch.tip }] : [];
  });
}
