import { stringify } from "yaml";
import { addUsage, type Usage } from "../../budget/usage.ts";
import { runFolder } from "../../config/run-folder.ts";
import type { StageId } from "../../ids.ts";
import { designFileOf } from "../../planning/design-ref.ts";
import { fillTemplate } from "../../planning/fill-template.ts";
import type { Run, StageRecord } from "../../run/run.ts";
import type { StageState } from "../../run/stage-state.ts";
import { type DownstreamContext, FIELD_TITLES } from "../../session/downstream-context.ts";
import { shortLine, shortText } from "../../text/cut-text.ts";
import { markdownBlock, markdownText } from "../../text/escape-text.ts";
import { levelOf } from "../terminal/run-counts.ts";
import { lastMoment } from "./progress-file.ts";

/**
 * The text of `.loom/<run>/session-state.md`: the run as the session documents of other orchestrators have it, phases
 * counted from 1 in the order of the graph. The same run always gives the same bytes. What Loom does not know is null.
 */
export function renderSessionState(
  run: Run,
  template: string,
  changes: ReadonlyMap<StageId, ChangedFiles> = new Map(),
): string {
  const records = [...run.stages.values()];
  const numbers = new Map([...run.stages.keys()].map((id, index) => [id, index + 1]));
  const crowd = crowdByLevel(run);
  const folder = runFolder(run.settings, run.id);
  const current = records.find((record) => phaseStatus(record) === "in_progress");
  const next = current ?? records.find((record) => phaseStatus(record) === "pending");
  const name = run.plan.name ?? run.name ?? run.id;
  const fields = {
    session_id: run.id,
    task: line(run.origin?.title ?? run.plan.name ?? run.name),
    created: run.createdAt,
    updated: new Date(lastMoment(run)).toISOString(),
    status: run.status === "running" ? "in_progress" : run.status === "completed" ? "completed" : "failed",
    workflow_mode: workflowMode(run),
    design_document: run.planning?.design == null ? null : `${folder}/${designFileOf(run.planText)}`,
    implementation_plan: `${folder}/PLAN.md`,
    current_phase: next ? (numbers.get(next.plan.id) ?? null) : null,
    current_batch: current ? `batch-${levelOf(run, current.plan.id)}` : null,
    total_phases: records.length,
    execution_mode: run.settings.maxParallel > 1 ? "parallel" : "sequential",
    execution_backend: line(run.settings.harness),
    task_complexity: run.plan.complexity,
    token_usage: tokenUsage([...records, ...run.removed.values()]),
    phases: records.map((record) => phase(run, record, { numbers, crowd, changes })),
  };
  return fillTemplate(template, {
    ...Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, yamlValue(value)])),
    heading: markdownText(shortLine(name, LINE_CHARS)),
    log: records.map((record) => logSection(record, numbers)).join("\n\n"),
  });
}

const LINE_CHARS = 500;
const REPORT_CHARS = 8_000;
const MAX_ITEMS = 100;

type Numbers = ReadonlyMap<string, number>;

/** Whoever starts a run on their own machine has read the plan. */
function workflowMode({ approval }: Run): "express" | "standard" {
  return approval.kind === "given" && approval.via === "express" ? "express" : "standard";
}

type PhaseStatus = "pending" | "in_progress" | "completed" | "failed" | "skipped";

function phaseStatus({ state, attempts }: StageRecord): PhaseStatus {
  const kinds: Readonly<Record<StageState["kind"], PhaseStatus>> = {
    "waiting-for-deps": "pending",
    queued: attempts > 0 ? "in_progress" : "pending",
    executing: "in_progress",
    "waiting-for-input": "in_progress",
    "needs-handoff": "in_progress",
    "completed-with-failures": "in_progress",
    "merge-conflict": "in_progress",
    "merge-blocked": "in_progress",
    blocked: "failed",
    completed: "completed",
    skipped: "skipped",
  };
  return kinds[state.kind];
}

function crowdByLevel({ graph }: Run): ReadonlyMap<number, number> {
  const crowd = new Map<number, number>();
  for (const level of graph.levels.values()) crowd.set(level, (crowd.get(level) ?? 0) + 1);
  return crowd;
}

type Around = {
  readonly numbers: Numbers;
  readonly crowd: ReadonlyMap<number, number>;
  readonly changes: ReadonlyMap<StageId, ChangedFiles>;
};

/** The files of a stage, by what became of them. */
export type ChangedFiles = Readonly<Record<"created" | "modified" | "deleted", readonly string[]>>;

export function sortChanges(
  files: readonly string[],
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
): ChangedFiles {
  const created = files.filter((path) => !before.has(path) && after.has(path));
  const deleted = files.filter((path) => before.has(path) && !after.has(path));
  return { created, deleted, modified: files.filter((path) => ![...created, ...deleted].includes(path)) };
}

function phase(run: Run, record: StageRecord, { numbers, crowd, changes }: Around) {
  const { plan, report, attempts } = record;
  const files = changes.get(plan.id) ?? { created: [], modified: record.files, deleted: [] };
  const besides = (crowd.get(run.graph.levels.get(plan.id) ?? 0) ?? 0) > 1;
  return {
    id: numbers.get(plan.id) ?? null,
    stage: plan.id,
    name: line(plan.name),
    status: phaseStatus(record),
    agents: plan.agent === null ? [] : [line(plan.agent)],
    parallel: besides && run.settings.maxParallel > 1,
    started: record.startedAt,
    completed: record.state.kind === "completed" ? record.endedAt : null,
    blocked_by: plan.dependencies.flatMap((id) => numbers.get(id) ?? []),
    files_created: lines(files.created),
    files_modified: lines(files.modified),
    files_deleted: lines(files.deleted),
    downstream_context: report?.downstream ? downstream(report.downstream) : null,
    errors: errorsOf(record),
    retry_count: Math.max(0, attempts - 1),
  };
}

function downstream(context: DownstreamContext) {
  return {
    key_interfaces_introduced: lines(context.keyInterfaces),
    patterns_established: lines(context.patterns),
    integration_points: lines(context.integrationPoints),
    assumptions: lines(context.assumptions),
    warnings: lines(context.warnings),
  };
}

function errorsOf({ failures, state }: StageRecord): string[] {
  const all = failures.map(({ message }) => message);
  if (state.kind === "blocked" && !all.includes(state.failure.message)) all.push(state.failure.message);
  return lines(all);
}

/** Stages that name no agent are counted under `unassigned`. */
function tokenUsage(records: readonly StageRecord[]) {
  const byAgent = new Map<string, Usage>();
  let total: Usage | null = null;
  for (const { plan, usage } of records) {
    if (!usage) continue;
    const agent = line(plan.agent) ?? "unassigned";
    total = addUsage(total, usage);
    byAgent.set(agent, addUsage(byAgent.get(agent) ?? null, usage) ?? usage);
  }
  return {
    total_input: total?.inputTokens ?? null,
    total_output: total?.outputTokens ?? null,
    total_cached: null,
    by_agent: Object.fromEntries(
      [...byAgent]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([agent, { inputTokens, outputTokens }]) => [
          agent,
          { input: inputTokens, output: outputTokens, cached: null },
        ]),
    ),
  };
}

function logSection(record: StageRecord, numbers: Numbers): string {
  const { plan, report, files, verdict } = record;
  const left = report?.downstream ?? null;
  const listed = (items: readonly string[]): string =>
    items.length === 0
      ? "none"
      : items
          .slice(0, MAX_ITEMS)
          .map((one) => markdownText(shortLine(one, LINE_CHARS)))
          .join("; ");
  return [
    `## Phase ${numbers.get(plan.id)}: ${markdownText(shortLine(plan.name, LINE_CHARS))}`,
    "### Status",
    STATUS_WORDS[phaseStatus(record)],
    "### Agent Output",
    report && report.text.trim() !== ""
      ? markdownBlock(shortText(report.text, REPORT_CHARS))
      : "None was received.",
    "### Files Changed",
    `- ${listed(files)}`,
    "### Downstream Context",
    left === null
      ? "None was received."
      : FIELD_TITLES.map(([field, title]) => `- ${title}: ${listed(left[field])}`).join("\n"),
    "### Validation Result",
    verdict === null
      ? "Not checked yet."
      : `${VERDICT_WORDS[verdict.outcome]}; the evidence is in \`reports/${plan.id}.md\`.`,
  ].join("\n\n");
}

const STATUS_WORDS: Readonly<Record<PhaseStatus, string>> = {
  pending: "Pending",
  in_progress: "In progress",
  completed: "Completed",
  failed: "Failed",
  skipped: "Skipped",
};

const VERDICT_WORDS = {
  passed: "Passed",
  warned: "Passed with warnings",
  ask: "Needs a person",
  failed: "Failed",
} as const;

function line(text: string): string;
function line(text: string | null): string | null;
function line(text: string | null): string | null {
  return text === null ? null : shortLine(text, LINE_CHARS);
}

function lines(texts: readonly string[]): string[] {
  return texts.slice(0, MAX_ITEMS).map((text) => line(text));
}

/** What stands behind a key. Texts are quoted and have one line, so that none of them can end the front matter. */
function yamlValue(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const text = stringify(value, {
    lineWidth: 0,
    aliasDuplicateObjects: false,
    defaultStringType: "QUOTE_DOUBLE",
    defaultKeyType: "PLAIN",
  });
  return `\n${text.trimEnd().replace(/^/gm, "  ")}`;
}
