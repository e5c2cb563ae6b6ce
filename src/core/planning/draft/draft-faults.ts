import type { StageId } from "../../ids.ts";
import { isProtectedPath } from "../../paths/protected-paths.ts";
import { resolveInTree } from "../../paths/tree-path.ts";
import { type Complexity, mayChangeNothing, type Plan, type StagePlan } from "../../plan/plan.ts";
import type { AgentList } from "../../plan/plan-draft.ts";
import { USUAL_SIZE } from "../../plan/rules/check-size.ts";
import type { PlanSections } from "../answers/read-planner-answer.ts";
import type { PlanningLimits } from "../planning-input.ts";
import { choiceFaults } from "./choice-faults.ts";
import type { DraftFault } from "./draft-fault.ts";
import { limitFaults } from "./limit-faults.ts";
import { proofFaults } from "./proof-faults.ts";

export type DraftLimits = {
  readonly limits: PlanningLimits;
  readonly complexity: Complexity | null;
  readonly agents: AgentList | null;
  /** Stages of a run that can't change any more: whatever could be better about them has to stay. */
  readonly settled?: ReadonlySet<StageId>;
};

/** `before`: the plan that this one is to take the place of; null: there is none. */
export function findDraftFaults(plan: Plan, before: Plan | null, limits: DraftLimits): DraftFault[] {
  const stages = plan.stages.filter(({ id }) => !limits.settled?.has(id));
  return [
    ...sizeFaults(plan, before, limits),
    ...choiceFaults(plan, stages, before, limits.limits.runsOn),
    ...limitFaults(plan, stages, before, limits.limits),
    ...synthesisFaults(plan, before),
    ...stages.flatMap((stage) => descriptionFaults(stage, before)),
    ...stages.flatMap(ownershipFaults),
    ...stages.flatMap((stage) => proofFaults(stage, before, limits.agents)),
    ...stages.flatMap((stage) => protectionFaults(stage, limits.limits.protectedPaths)),
  ];
}

/** Found out by the agent, it would cost an attempt: what a stage changes there does not get through (T15). */
function protectionFaults(
  { id, files, workingDir }: StagePlan,
  alsoProtected: readonly string[],
): DraftFault[] {
  return files.flatMap((file): DraftFault[] => {
    const resolved = resolveInTree(workingDir, file);
    if (resolved.kind === "refused" || !isProtectedPath(resolved.fromRoot, alsoProtected)) return [];
    const text = `The stage \`${id}\` owns \`${file}\`, which no agent may change. Leave it out of \`files\`, and say under "Out of scope" what people have to do there.`;
    return [{ severity: "error", text }];
  });
}

/**
 * The repository's limit always holds; the usual size of such a task may be argued with where a mode allows it. A planner
 * that says nothing of the task does not escape it; people who wrote a long plan without a word about that may have it
 * changed.
 */
function sizeFaults(
  { stages, complexity: own }: Plan,
  before: Plan | null,
  { limits: { maxStages }, complexity }: DraftLimits,
): DraftFault[] {
  const count = stages.length;
  if (count > maxStages) {
    const text = `The plan has ${count} stages; this repository allows ${maxStages}. Join stages, or plan a part and name the rest under "Out of scope".`;
    return [{ severity: "error", text }];
  }
  const said = complexity ?? own;
  if (said === null && before) return [];
  const most = USUAL_SIZE[said ?? "medium"];
  if (count <= most) return [];
  const text =
    said === null
      ? `The plan has ${count} stages and does not say how complex the task is; ${most} are the most then. Join stages that one agent can do in one go, or add \`complexity\`.`
      : `The plan has ${count} stages; a ${said} task takes ${most} at most. Join stages that one agent can do in one go.`;
  return [{ severity: "warning", text, ...(said === null ? { lacking: null } : {}) }];
}

/** People decide by these; the risks of a small plan may be none. */
export function sectionFaults({ why, outOfScope }: PlanSections): DraftFault[] {
  const faults: DraftFault[] = [];
  if (why.trim() === "") {
    const text = "The section `## Why these stages` is missing. Say why the work is cut like this.";
    faults.push({ severity: "warning", text });
  }
  if (outOfScope.trim() === "") {
    const text =
      "The section `## Out of scope` is missing. Say what somebody could expect and will not get, or that there is nothing.";
    faults.push({ severity: "warning", text });
  }
  return faults;
}

/**
 * Each runs after all others, so nobody could say which of two is the last. One that others depend on is told to be none
 * by the rules of every plan.
 */
function synthesisFaults({ stages }: Plan, before: Plan | null): DraftFault[] {
  const needed = new Set(stages.flatMap(({ dependencies }) => dependencies));
  const last = stages.filter(({ id, synthesis }) => synthesis && !needed.has(id)).map(({ id }) => id);
  const had = before?.stages.filter(({ synthesis }) => synthesis).length ?? 0;
  if (last.length <= Math.max(1, had)) return [];
  const named = last.slice(0, 8).map((id) => `\`${id}\``);
  const text = `${last.length} stages have \`synthesis: true\` (${named.join(", ")}); one can be the last. Keep it on that one, and give the others \`dependencies\`.`;
  return [{ severity: "warning", text }];
}

/** An agent is told nothing else of its task. What people left to the name stays theirs. */
function descriptionFaults({ id, description }: StagePlan, before: Plan | null): DraftFault[] {
  const had = before?.stages.find((one) => one.id === id);
  if (description.trim() !== "" || had?.description.trim() === "") return [];
  const text = `The stage \`${id}\` does not say what to do. Add \`description\` with all that its agent needs.`;
  return [{ severity: "warning", text, lacking: id }];
}

function ownershipFaults(stage: StagePlan): DraftFault[] {
  if (stage.files.length > 0 || mayChangeNothing(stage)) return [];
  const text = `The stage \`${stage.id}\` changes files and owns none. Add \`files\` with the paths or patterns that it may touch.`;
  return [{ severity: "warning", text, lacking: stage.id }];
}
