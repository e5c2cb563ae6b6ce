import type { StageId } from "../ids.ts";
import type { Skill } from "../roster/roster.ts";
import { type Run, type StageRecord, stageOf } from "../run/run.ts";
import { renderDownstream } from "../session/downstream-context.ts";
import { shortLine, shortText } from "../text/cut-text.ts";
import type { Part } from "./fit-parts.ts";
import { type PartName, priorityOf } from "./priority.ts";
import { skillPart } from "./skill-part.ts";

/** What changes with the plan and with the stages that are done: methods, the plan, the knowledge, and what others left. */
export function semiStableParts(run: Run, stage: StageId, skills: readonly Skill[]): Part[] {
  return [
    ...skills.map((skill) => skillPart(skill, priorityOf("the skills"))),
    planOverview(run, stage),
    ...knowledge(run, stage),
    ...whatOthersLeft(run, stage),
  ];
}

const SHOWN_STAGES = 60;
const NAME_CHARS = 120;

/** The stages around this one, in the order of the plan. */
function planOverview(run: Run, current: StageId): Part {
  const { order } = run.graph;
  const from = Math.max(0, Math.min(order.indexOf(current) - SHOWN_STAGES / 2, order.length - SHOWN_STAGES));
  const shown = order.slice(from, from + SHOWN_STAGES);
  const lines = shown.map((id) => {
    const record = stageOf(run, id);
    return `- ${id}: ${shortLine(record.plan.name, NAME_CHARS)} (${id === current ? "this stage" : standing(record)})`;
  });
  if (from > 0) lines.unshift(`- and ${from} before`);
  const after = order.length - from - shown.length;
  if (after > 0) lines.push(`- and ${after} after`);
  const title = run.plan.name ? `\n\n${shortLine(run.plan.name, 200)}` : "";
  return part("the plan", `## The plan${title}`, lines.join("\n"));
}

function standing({ state }: StageRecord): string {
  if (state.kind === "completed") return "merged";
  return state.kind === "skipped" ? "skipped" : "not merged";
}

/** Only what is merged, so that people have had their say: the files are named, not read out. */
function knowledge(run: Run, current: StageId): Part[] {
  const files = run.graph.order.flatMap((id) => {
    const { plan, state, files } = stageOf(run, id);
    return plan.type === "knowledge" && state.kind === "completed" && id !== current ? files : [];
  });
  if (files.length === 0) return [];
  const lines = [...new Set(files)].slice(0, 30).map((file) => `- ${shortLine(file, 200)}`);
  const lead =
    "## What is known about the project\n\nEarlier stages wrote it down in these files. Read them before you explore on your own:";
  return [part("the knowledge", lead, lines.join("\n"))];
}

const DIRECT = 20;
const DIRECT_CHARS = 4_000;
/** As prompts/stages/read-only says. */
const REPORT_CHARS = 8_000;
const FAR = 20;
const FAR_CHARS = 800;

/** The nearest stages first; of those further away only what can break. */
function whatOthersLeft(run: Run, current: StageId): Part[] {
  const direct = run.graph.dependencies.get(current) ?? [];
  const near = direct.flatMap((id) => {
    const text = fullText(stageOf(run, id));
    return text === "" ? [] : [fromStage("what the dependencies left", id, "on which you build", text)];
  });
  const far = farAncestors(run, direct).flatMap((id) => {
    const text = shortVersion(stageOf(run, id));
    return text === "" ? [] : [fromStage("what earlier stages left", id, "which came before", text)];
  });
  const all = [...near.slice(0, DIRECT), ...far.slice(0, FAR)];
  const [first, ...rest] = all;
  if (!first) return [];
  return [{ ...first, lead: `## What earlier stages left for you\n\n${first.lead}` }, ...rest];
}

function fromStage(name: PartName, id: StageId, which: string, text: string): Part {
  return { ...part(name, `The agent of \`${id}\`, ${which}, wrote:`, text), language: "text" };
}

function fullText({ report, files, takenBy }: StageRecord): string {
  if (!report) return "";
  const left = shortText(report.downstream ? renderDownstream(report.downstream) : "", DIRECT_CHARS);
  // A design, a diagnosis or a review is nowhere else: what changed no file has left its report alone.
  if (files.length === 0 && takenBy === null)
    return [shortText(report.text, REPORT_CHARS), left].filter((text) => text !== "").join("\n\n");
  return left === "" ? shortText(report.text, DIRECT_CHARS / 2) : left;
}

function shortVersion({ report }: StageRecord): string {
  if (!report?.downstream) return "";
  const { keyInterfaces, warnings } = report.downstream;
  const nothing = { patterns: [], integrationPoints: [], assumptions: [], other: "" };
  return shortText(renderDownstream({ ...nothing, keyInterfaces, warnings }), FAR_CHARS);
}

/** Breadth first, so that the nearer ones come first; a few are enough. */
function farAncestors(run: Run, direct: readonly StageId[]): StageId[] {
  const seen = new Set<StageId>(direct);
  const queue = [...direct];
  const found: StageId[] = [];
  for (let at = 0; at < queue.length && found.length < 200; at += 1) {
    for (const id of run.graph.dependencies.get(queue[at] ?? "") ?? []) {
      if (seen.has(id)) continue;
      seen.add(id);
      queue.push(id);
      found.push(id);
    }
  }
  return found;
}

function part(name: PartName, lead: string, text: string): Part {
  return { name, priority: priorityOf(name), lead, text, keep: "start", language: null };
}
