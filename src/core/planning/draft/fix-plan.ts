import { stringify } from "yaml";
import { createAncestry } from "../../graph/ancestry.ts";
import type { StageGraph } from "../../graph/stage-graph.ts";
import type { StageId } from "../../ids.ts";
import type { Plan } from "../../plan/plan.ts";
import { findPlanBlock } from "../../plan/read/find-plan-block.ts";
import { isRecord, listOf, readLooseYaml, wordOf } from "../../session/read-loose-yaml.ts";
import { splitLines } from "../../text/text-lines.ts";

/** The same order of the stages, with fewer words: a dependency that another one brings along is left out. */
export function dropRedundant(plan: Plan, graph: StageGraph, settled?: ReadonlySet<StageId>): Plan {
  if (plan.stages.every(({ dependencies }) => dependencies.length < 2)) return plan;
  const ancestry = createAncestry(graph);
  return {
    ...plan,
    stages: plan.stages.map((stage) => {
      const redundant = new Set(ancestry.redundantDependencies(stage.id));
      return redundant.size === 0 || settled?.has(stage.id)
        ? stage
        : { ...stage, dependencies: stage.dependencies.filter((id) => !redundant.has(id)) };
    }),
  };
}

const DEPENDENCY_KEYS = ["dependencies", "depends_on", "blocked_by"];

/** What stands below `loom:`, as far as it can be read at all. */
export function readLoom(document: string): Record<string, unknown> | null {
  const lines = splitLines(document);
  const { block } = findPlanBlock(lines);
  if (!block) return null;
  const value = readLooseYaml(lines.text.slice(lines.start(block.range.from), lines.start(block.range.to)));
  const loom = isRecord(value) ? value.loom : null;
  return isRecord(loom) ? loom : null;
}

/** null when no stage that others depend on calls itself a synthesis stage. */
export function freeSynthesis(document: string): { document: string; stages: StageId[] } | null {
  const loom = readLoom(document);
  if (!loom) return null;
  const key = "stages" in loom ? "stages" : "phases";
  const stages = listOf(loom[key]);
  const needed = new Set(
    stages.flatMap((stage) =>
      isRecord(stage) ? DEPENDENCY_KEYS.flatMap((name) => listOf(stage[name]).map(wordOf)) : [],
    ),
  );
  const freed: StageId[] = [];
  const fixed = stages.map((stage) => {
    if (!isRecord(stage) || !needed.has(wordOf(stage.id))) return stage;
    const { synthesis, is_synthesis, ...rest } = stage;
    if (synthesis !== true && is_synthesis !== true) return stage;
    freed.push(wordOf(stage.id));
    return rest;
  });
  if (freed.length === 0) return null;
  const yaml = stringify({ loom: { ...loom, [key]: fixed } }, { lineWidth: 0, aliasDuplicateObjects: false });
  return { document: `\`\`\`\`yaml\n${yaml}\`\`\`\`\n`, stages: freed };
}
