import { buildGraph } from "../graph/stage-graph.ts";
import type { StageId, Timestamp } from "../ids.ts";
import { code, escapeMarkdown, escapeTitle } from "../markdown/escape-markdown.ts";
import { markdownTable } from "../markdown/markdown-table.ts";
import type { Plan, StagePlan } from "../plan/plan.ts";
import { renderPlan } from "../plan/render-plan.ts";
import { counted } from "../text/durations.ts";
import { listSome } from "../text/list-some.ts";
import type { PlanSections } from "./answers/read-planner-answer.ts";
import { describeProfile } from "./describe-profile.ts";
import { fillTemplate, quotedYaml } from "./fill-template.ts";
import { type ParallelProfile, parallelProfile } from "./parallel-profile.ts";
import { sanitizeProse } from "./sanitize-prose.ts";

export type PlanDocument = {
  readonly plan: Plan;
  readonly title: string;
  readonly created: Timestamp;
  /** Where the design stands in the repository. */
  readonly designRef: string | null;
  readonly goal: string;
  readonly sections: PlanSections;
  /** With `{{places}}`. */
  readonly template: string;
};

const MAX_ROWS = 200;
const MAX_NAMED = 12;
const GOAL_CHARS = 600;

/**
 * The document that stands in the repository. Loom writes all of it but three sections of prose, which are mere text;
 * its one block with `loom:` is the plan, and reads back as the same plan.
 */
export function composePlan(document: PlanDocument): string {
  const { plan, sections } = document;
  const profile = parallelProfile(buildGraph(plan.stages), plan);
  const stages = new Map(plan.stages.map((stage) => [stage.id, stage]));
  const heading = headingOf(document.title);
  const files = inventory(plan.stages);
  const block = renderPlan({ ...plan, name: null }).trimEnd();
  return fillTemplate(withPlace(document.template, "{{plan}}"), {
    title: quotedYaml(`${heading} Implementation Plan`),
    design_ref: quotedYaml(document.designRef),
    created: quotedYaml(document.created),
    status: "draft",
    total_phases: String(plan.stages.length),
    estimated_files: String(files.size),
    task_complexity: plan.complexity ?? "null",
    heading,
    overview: overview(document, profile),
    why: sanitizeProse(sections.why),
    graph: drawGraph(profile, stages),
    strategy: strategy(profile, stages),
    files: fileTable(files),
    out_of_scope: sanitizeProse(sections.outOfScope),
    risks: sanitizeProse(sections.risks),
    profile: describeProfile(profile)
      .map((line) => `- ${line}`)
      .join("\n"),
    plan: block,
  });
}

/** The title as the parser of plans gives it back: one line, without marks that it would take away. */
export function headingOf(title: string): string {
  let text = escapeTitle(title, 150);
  for (let before = ""; before !== text; ) {
    before = text;
    text = text
      .replace(/^plan:\s*/i, "")
      .replace(/^[#\s]+|(?<![#\s])[#\s]+$/g, "")
      .trim();
  }
  return text === "" ? "A plan" : text;
}

/** A template without a place for the plan would make a document without one. */
function withPlace(template: string, place: string): string {
  return template.includes(place) ? template : `${template.trimEnd()}\n\n${place}\n`;
}

function overview({ plan, goal }: PlanDocument, profile: ParallelProfile): string {
  const agents = [...new Set(plan.stages.flatMap(({ agent }) => agent ?? []))];
  const who =
    agents.length > 0
      ? ` Agents: ${agents
          .slice(0, MAX_NAMED)
          .map((name) => code(name))
          .join(", ")}.`
      : "";
  const size =
    `${counted(plan.stages.length, "stage")} in ${counted(profile.batches.length, "batch", "batches")}` +
    `${plan.complexity ? `, for a ${plan.complexity} task` : ""}.${who}`;
  const about = sanitizeProse(goal, GOAL_CHARS);
  return about === "" ? size : `${size}\n\n${about}`;
}

/** Ids only, one line for each stage: what it waits for stands behind the arrow. */
function drawGraph(profile: ParallelProfile, stages: ReadonlyMap<StageId, StagePlan>): string {
  const width = String(profile.batches.length).length;
  const lines = profile.batches.flatMap((batch, level) =>
    batch.map((id, index) => {
      const number = index === 0 ? String(level + 1) : "";
      const { dependencies = [], synthesis = false } = stages.get(id) ?? {};
      const after = synthesis ? "all others" : listSome(dependencies, MAX_NAMED);
      return `${number.padStart(width)}  ${id}${after === "" ? "" : ` <- ${after}`}`;
    }),
  );
  const left = lines.length - MAX_ROWS;
  const shown = left > 0 ? [...lines.slice(0, MAX_ROWS), `... and ${counted(left, "more stage")}`] : lines;
  return `\`\`\`text\n${shown.join("\n")}\n\`\`\``;
}

function strategy(profile: ParallelProfile, stages: ReadonlyMap<StageId, StagePlan>): string {
  const rows = profile.batches.slice(0, MAX_ROWS).map((batch, index) => {
    const agents = new Set(batch.map((id) => stages.get(id)?.agent ?? "any"));
    return [
      String(index + 1),
      named(batch),
      batch.length > 1 ? "side by side" : "alone",
      [...agents]
        .slice(0, MAX_NAMED)
        .map((agent) => (agent === "any" ? agent : code(agent)))
        .join(", "),
    ];
  });
  return markdownTable(["Batch", "Stages", "Execution", "Agents"], rows);
}

function named(ids: readonly StageId[]): string {
  return listSome(ids, MAX_NAMED, (id) => code(id));
}

type Inventory = ReadonlyMap<string, readonly StagePlan[]>;

/** Files as the plan names them, patterns included, seen from the root of the repository. */
function inventory(stages: readonly StagePlan[]): Inventory {
  const found = new Map<string, StagePlan[]>();
  for (const stage of stages) {
    for (const file of stage.files) {
      const path = stage.workingDir === "." ? file : `${stage.workingDir}/${file}`;
      const owners = found.get(path);
      if (owners) owners.push(stage);
      else found.set(path, [stage]);
    }
  }
  return found;
}

function fileTable(files: Inventory): string {
  const rows = [...files]
    .slice(0, MAX_ROWS)
    .map(([path, owners]) => [
      code(path, 150),
      named(owners.map(({ id }) => id)),
      escapeMarkdown(owners[0]?.name ?? "", 120),
    ]);
  const left = files.size - rows.length;
  return `${markdownTable(["File", "Stage", "Purpose"], rows)}${left > 0 ? `\n\n… and ${left} more.` : ""}`;
}
