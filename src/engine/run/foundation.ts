import type { Sha } from "../../core/ids.ts";
import { type Run, type StackParent, type StageRecord, stageOf } from "../../core/run/run.ts";
import type { StackBase } from "../../ports/forge.ts";
import type { Engine } from "../engine.ts";

/** What a stage's work has to stand on as things are now. */
export type Foundation =
  | {
      readonly kind: "ready";
      readonly commit: Sha;
      readonly stack: readonly StackParent[];
      readonly base: StackBase;
      /** Where the target stands. */
      readonly target: Sha;
    }
  /** Dependencies that are proved but not merged don't go together. */
  | { readonly kind: "conflict"; readonly files: readonly string[]; readonly stack: readonly StackParent[] }
  /** A dependency that was proved is open again; as things are, there is nothing to stand on. */
  | { readonly kind: "unsettled" };

/**
 * The target when every dependency is merged. Otherwise, where people merge, the branch of the one that is not; or a
 * commit that joins several of them, and the target with them when it holds a dependency that their branches lack.
 */
export async function foundationOf(engine: Engine, run: Run, record: StageRecord): Promise<Foundation> {
  const forge = await engine.forgeFor(run);
  const target = await forge.targetTip();
  const stack = unmergedParents(run, record);
  if (directParents(run, record).some(isOpen)) return { kind: "unsettled" };
  if (stack.length === 0) return { kind: "ready", commit: target, stack, base: { kind: "target" }, target };
  await forge.fetch(stack.map(({ tip }) => tip));
  const workspace = engine.workspaceFor(run);
  const contains = (tip: Sha, commit: Sha): Promise<boolean> => workspace.isAncestor(commit, tip);
  const needed = [...mergedParents(run, record), ...stack.map(({ tip }) => tip)];
  for (const { stage, tip } of stack) {
    if (await every(needed, (commit) => contains(tip, commit)))
      return { kind: "ready", commit: tip, stack, base: { kind: "stage", stage }, target };
  }
  const withTarget = !(await every(mergedParents(run, record), (commit) =>
    some(stack, ({ tip }) => contains(tip, commit)),
  ));
  const joined = await workspace.join([...(withTarget ? [target] : []), ...stack.map(({ tip }) => tip)]);
  if (joined.kind === "conflict") return { kind: "conflict", files: joined.files, stack };
  const base: StackBase = { kind: "joined", commit: joined.commit };
  return { kind: "ready", commit: joined.commit, stack, base, target };
}

/** A synthesis stage depends on everything but its kind. */
function directParents(run: Run, { plan }: StageRecord): StageRecord[] {
  return plan.synthesis
    ? [...run.stages.values()].filter((one) => !one.plan.synthesis)
    : plan.dependencies.map((id) => stageOf(run, id));
}

/** In the place of a stage that a person left out stands what that one depends on: their work is still below. */
function parentsOf(run: Run, record: StageRecord): StageRecord[] {
  const parents = new Set<StageRecord>();
  const open = directParents(run, record);
  for (let parent = open.pop(); parent; parent = open.pop()) {
    if (parents.has(parent)) continue;
    parents.add(parent);
    if (parent.state.kind === "skipped") open.push(...directParents(run, parent));
  }
  return [...run.stages.values()].filter((one) => parents.has(one));
}

function isOpen({ state }: StageRecord): boolean {
  if (state.kind === "executing") return state.phase !== "published";
  return state.kind !== "completed" && state.kind !== "skipped";
}

export function unmergedParents(run: Run, record: StageRecord): StackParent[] {
  return parentsOf(run, record).flatMap(({ plan, state, branch }) =>
    state.kind === "executing" && state.phase === "published" && branch
      ? [{ stage: plan.id, tip: branch.tip }]
      : [],
  );
}

function mergedParents(run: Run, record: StageRecord): Sha[] {
  return parentsOf(run, record).flatMap(({ state }) =>
    state.kind === "completed" && state.merged ? [state.merged] : [],
  );
}

export function sameStack(one: readonly StackParent[], other: readonly StackParent[]): boolean {
  const text = (stack: readonly StackParent[]): string =>
    stack
      .map(({ stage, tip }) => `${stage}@${tip}`)
      .sort()
      .join(" ");
  return text(one) === text(other);
}

async function every<T>(items: readonly T[], holds: (item: T) => Promise<boolean>): Promise<boolean> {
  for (const item of items) if (!(await holds(item))) return false;
  return true;
}

async function some<T>(items: readonly T[], holds: (item: T) => Promise<boolean>): Promise<boolean> {
  for (const item of items) if (await holds(item)) return true;
  return false;
}
