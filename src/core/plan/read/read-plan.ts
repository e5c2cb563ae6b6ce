import { type Ancestry, createAncestry } from "../../graph/ancestry.ts";
import { findCycle } from "../../graph/find-cycles.ts";
import { buildGraph, type StageGraph } from "../../graph/stage-graph.ts";
import type { StageId } from "../../ids.ts";
import { table } from "../../table.ts";
import type { MergeMode, Plan } from "../plan.ts";
import type { AgentList, PlacedStage } from "../plan-draft.ts";
import type { Reporter } from "../report-problems.ts";
import { checkRules } from "../rules.ts";
import { planSchema, stageSchema, type WrittenPlan } from "../schema.ts";
import { parseShape } from "../shape-problems.ts";
import { createKeyCheck, type KeyCheck } from "./known-keys.ts";
import { pickOne } from "./pick-one.ts";
import { readChecks } from "./read-checks.ts";
import { type Outline, type Outlines, readOutlines } from "./read-outlines.ts";
import { readSandbox } from "./read-sandbox.ts";
import { readStage } from "./read-stage.ts";
import { readComplexity, readMergeMode } from "./read-words.ts";

export type ParseOptions = {
  /** Loom is strict with plans it wrote itself. */
  readonly origin: "loom" | "elsewhere";
  /** Says what is wrong with a regular expression, or null. Passed in: the core has no library for them. */
  readonly checkPattern?: (source: string) => string | null;
  /** When given, stages may name these agents only. */
  readonly agents?: AgentList;
  /** How to merge when the plan does not say; `auto` unless given. */
  readonly mergeMode?: MergeMode;
  /** False where somebody else judges whether the plan has too many stages for its task. */
  readonly measured?: boolean;
  /** A run has it already: what only later versions of Loom refuse is no reason not to load it. */
  readonly isRecorded?: boolean;
};

export type ReadPlan = {
  /** Must not be used when there are errors. */
  readonly plan: Plan | null;
  /** The ids by their places in the list that was written; null: that stage has none, and is not in the plan. */
  readonly ids: readonly (StageId | null)[];
  /** null when ids and dependencies do not make a graph. */
  readonly graph: StageGraph | null;
};

const NOTHING: ReadPlan = { plan: null, ids: [], graph: null };

export const MAX_STAGES = 10_000;

/** The plan from the value below `loom:`. Everything that is wrong with it goes to the reporter. */
export function readPlan(
  loom: unknown,
  title: string | null,
  options: ParseOptions,
  reporter: Reporter,
): ReadPlan {
  if (typeof loom !== "object" || loom === null || Array.isArray(loom)) {
    reporter.error([], "`loom:` has to be a mapping.", "Put `version: 1` and `stages:` below it.");
    return NOTHING;
  }
  const keys = createKeyCheck(options.origin, reporter);
  keys.plan(loom);
  const frame = readFrame(loom, options, reporter);
  const raw = rawStages(loom, reporter);
  if (!raw) {
    keys.finish();
    return NOTHING;
  }
  const outlines = readOutlines(raw, "stages" in loom ? "stages" : "phases", options.origin, reporter);
  const graph = graphOf(outlines);
  const stages = readStages(raw, outlines.stages, options, keys, reporter);
  keys.finish();
  let ancestry: Ancestry | null = null;
  checkRules(
    {
      outlines: outlines.stages,
      stages,
      graph,
      ancestry: () => {
        ancestry ??= graph && createAncestry(graph);
        return ancestry;
      },
      complexity: options.measured === false ? null : frame.complexity,
      sandbox: frame.sandbox,
      agents: options.agents ?? null,
    },
    reporter,
  );
  return {
    plan: { ...frame, name: frame.name ?? title, stages: stages.map(({ stage }) => stage) },
    ids: outlines.stages.map(({ id }) => id),
    graph,
  };
}

function rawStages(loom: object, reporter: Reporter): readonly unknown[] | null {
  const written: Record<string, unknown> = table({ ...loom });
  const stages = pickOne(written, [], reporter)("stages", "phases");
  const fix = "Write `stages:` with a list of stages below it, each beginning with `- id: its-name`.";
  if (stages === undefined || (Array.isArray(stages) && stages.length === 0)) {
    reporter.error(["stages"], "The plan has no stages.", fix);
    return null;
  }
  if (!Array.isArray(stages)) {
    reporter.error(["stages"], "`stages` has to be a list.", fix);
    return null;
  }
  if (stages.length > MAX_STAGES) {
    reporter.error(
      ["stages"],
      `The plan has ${stages.length} stages; ${MAX_STAGES} are the most Loom takes.`,
      "Split the plan.",
    );
    return null;
  }
  return stages;
}

function graphOf({ stages, sound }: Outlines): StageGraph | null {
  if (!sound) return null;
  const nodes = stages.flatMap(({ id, dependencies }) =>
    id === null ? [] : [{ id, dependencies: dependencies.map((dependency) => dependency.id) }],
  );
  return findCycle(nodes) ? null : buildGraph(nodes);
}

function readStages(
  raw: readonly unknown[],
  outlines: readonly Outline[],
  options: ParseOptions,
  keys: KeyCheck,
  reporter: Reporter,
): PlacedStage[] {
  return raw.flatMap((value, index) => {
    const outline = outlines[index];
    if (!outline) return [];
    const { at, id } = outline;
    keys.stage(value, at);
    const { data, whole } = parseShape(stageSchema, value, at, reporter);
    if (!data) return [];
    const read = readStage(data, {
      at,
      id: id ?? "",
      dependencies: outline.dependencies.map((dependency) => dependency.id),
      origin: options.origin,
      reporter,
      checkPattern: options.checkPattern ?? (() => null),
      isRecorded: options.isRecorded ?? false,
    });
    return id === null ? [] : [{ ...read, at, whole }];
  });
}

type Frame = Omit<Plan, "stages">;

/** All but the stages. */
function readFrame(loom: object, options: ParseOptions, reporter: Reporter): Frame {
  const written: WrittenPlan = parseShape(planSchema, loom, [], reporter).data ?? {};
  checkVersion(written.version, reporter);
  const pick = pickOne(written, [], reporter);
  return {
    name: written.name?.replace(/\s+/g, " ").trim().slice(0, 200) || null,
    complexity: readComplexity(
      pick("complexity", "task_complexity"),
      [written.complexity === undefined ? "task_complexity" : "complexity"],
      reporter,
    ),
    gate: written.gate === undefined ? null : readChecks(written.gate, ["gate"], reporter),
    maxParallel: written.max_parallel ?? null,
    merge: { mode: readMerge(written, options, reporter) },
    budget: {
      wallClockSecs: written.budget?.wall_clock_secs ?? null,
      tokens: written.budget?.tokens ?? null,
      costUsd: written.budget?.cost_usd ?? null,
    },
    sandbox: readSandbox(written.sandbox, ["sandbox"], reporter),
  };
}

function checkVersion(version: string | undefined, reporter: Reporter): void {
  if (version === "1" || version === "2") return;
  reporter.error(
    ["version"],
    version === undefined
      ? "The plan does not say which version of the format it is in."
      : `Loom reads version 1 and 2 of the format, not \`${version.slice(0, 80)}\`.`,
    "Write `version: 1`.",
  );
}

function readMerge(written: WrittenPlan, options: ParseOptions, reporter: Reporter): MergeMode {
  if (written.merge?.mode !== undefined) {
    if (written.auto_merge !== undefined)
      reporter.error(["auto_merge"], "`merge` and `auto_merge` mean the same.", "Keep `merge`.");
    return readMergeMode(written.merge.mode, ["merge"], reporter);
  }
  if (written.auto_merge !== undefined) return written.auto_merge ? "auto" : "review";
  return options.mergeMode ?? "auto";
}
