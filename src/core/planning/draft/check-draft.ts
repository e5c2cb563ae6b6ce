import type { PlanningMode } from "../../command/planning-choices.ts";
import type { StageGraph } from "../../graph/stage-graph.ts";
import type { Complexity, Plan } from "../../plan/plan.ts";
import type { AgentList } from "../../plan/plan-draft.ts";
import { type Problem, problemInShort } from "../../plan/problem.ts";
import { type ParsedPlan, type ParsedText, parsePlan } from "../../plan/read/parse-plan.ts";
import { renderPlan } from "../../plan/render-plan.ts";
import { shortLine } from "../../text/cut-text.ts";
import { type PlannerAnswer, readPlannerAnswer } from "../answers/read-planner-answer.ts";
import { composePlan, headingOf, type PlanDocument } from "../compose-plan.ts";
import { isComposed, replacePlanBlock } from "../keep-document.ts";
import type { DraftFault } from "./draft-fault.ts";
import { type DraftLimits, findDraftFaults, sectionFaults } from "./draft-faults.ts";
import { dropRedundant, freeSynthesis } from "./fix-plan.ts";

export type DraftRules = {
  readonly mode: PlanningMode;
  readonly agents: AgentList | null;
  readonly checkPattern: (source: string) => string | null;
  /** As it was assessed; null: as the plan says. */
  readonly complexity: Complexity | null;
  /** The plan that is to be changed, as it stands, and the document that holds it; null: this is a new one. */
  readonly amends?: Plan | null;
  readonly document?: string | null;
} & Pick<DraftLimits, "limits" | "settled"> &
  Pick<PlanDocument, "title" | "created" | "designRef" | "goal" | "template">;

export type CheckedDraft = {
  /** The whole document; null as long as there are problems. */
  readonly plan: string | null;
  /** For the planner, one sentence or two each. */
  readonly problems: readonly string[];
  /** For people: what Loom fixed or let pass. */
  readonly notes: readonly string[];
};

const MAX_PROBLEMS = 40;
const PROBLEM_CHARS = 500;

/**
 * Whether a planner's answer is a plan that may be shown to people. Errors always go back. Of the rest, `strict` sends
 * everything back; `guided` fixes what can only be fixed in one way and sends back what is left; `suggestive` lets the
 * rest pass with a note.
 */
export function checkDraft(text: string, rules: DraftRules): CheckedDraft {
  const answer = readPlannerAnswer(text);
  if (answer.kind !== "plan") return refuse([whyNoPlan(answer)]);
  const read = readDraft(answer.document, rules);
  if (!read.plan) return refuse(tellBroken(read, answer, rules), read.notes);
  const again = writeAnew(read.plan, read.graph, rules);
  if (!again.plan || !again.graph) return refuse(again.problems.map(sentence));
  const left = new Set(again.problems.map(({ message }) => message));
  const gone = read.problems.filter(({ message }) => !left.has(message));
  const standing = rules.mode === "strict" ? read.problems : again.problems;
  const { stages } = again.plan;
  const faults = [
    ...standing.filter((one) => !rules.settled?.has(stages[placeOf(one)]?.id ?? "")).map(asFault),
    ...findDraftFaults(again.plan, rules.amends ?? null, rules),
    ...sectionFaults(answer.sections),
  ];
  const sendsBack = sentBackIn(rules.mode);
  const problems = faults.filter(sendsBack).map((fault) => fault.text);
  const notes = [
    ...read.notes,
    ...(rules.mode === "strict" ? [] : gone.map(({ message }) => `Fixed: ${message}`)),
    ...faults.filter((fault) => !sendsBack(fault)).map((fault) => fault.text),
  ];
  if (problems.length > 0) return refuse(problems, notes);
  return offer(again.plan, answer.sections, rules, notes);
}

/** What is gone once the plan is written anew was only a way of writing it, or has been fixed. */
function writeAnew(plan: Plan, graph: StageGraph | null, rules: DraftRules): ParsedPlan {
  const complexity = rules.complexity ?? plan.complexity ?? rules.amends?.complexity ?? null;
  const canonical = { ...plan, complexity, name: null };
  const fixes = rules.mode === "guided" && graph !== null;
  const fixed = fixes ? dropRedundant(canonical, graph, rules.settled) : canonical;
  return parsePlan(renderPlan(fixed), parseOptions(rules));
}

/** Errors here leave nothing out of the stage or the plan: what is missing there is missing. */
const LEAVES_ALL = /^version$|\.(?:agents?|dependencies|depends_on|blocked_by)(?:$|[[.])/;

/**
 * All that is wrong with a plan that does not load. An error must not hide the rest, because there are few drafts; but
 * what could not be read is not said to be missing, and what Loom would fix is not told.
 */
function tellBroken(read: ReadDraft, { sections, document }: PlanAnswer, rules: DraftRules): string[] {
  const { readable, graph, problems } = read;
  const errors = problems.filter(({ severity }) => severity === "error");
  const ids = readable?.ids ?? [];
  const unread = new Set(
    errors
      .filter(({ path }) => !LEAVES_ALL.test(path))
      .map((one) => (placeOf(one) < 0 ? null : ids[placeOf(one)])),
  );
  // YAML that can't be used has no path, and may stand for anything.
  const mayBeThere = ({ lacking }: DraftFault): boolean =>
    lacking !== undefined && (unread.has(lacking) || errors.some(({ path }) => path === ""));
  const again = readable && writeAnew(readable.plan, graph, rules);
  const left = new Set((again ?? read).problems.map(({ message }) => message));
  const stands = (one: Problem): boolean =>
    one.severity === "error" ||
    ((rules.mode === "strict" || left.has(one.message)) && !rules.settled?.has(ids[placeOf(one)] ?? ""));
  const faults = [
    ...problems.filter(stands).map(asFault),
    ...(readable ? findDraftFaults(readable.plan, rules.amends ?? null, rules) : []),
    // A block that is never closed takes the sections behind it along.
    ...(/^ {0,3}#{1,6} /m.test(document) ? [] : sectionFaults(sections)),
  ];
  const sendsBack = sentBackIn(rules.mode);
  return faults.filter((fault) => !mayBeThere(fault) && sendsBack(fault)).map(({ text }) => text);
}

function sentBackIn(mode: PlanningMode): (fault: DraftFault) => boolean {
  return ({ severity }) => severity === "error" || (severity === "warning" && mode !== "suggestive");
}

function whyNoPlan(answer: Exclude<PlannerAnswer, { kind: "plan" }>): string {
  return answer.kind === "neither"
    ? answer.problem
    : "The answer asks questions, and there is nobody to answer them now. Take the most likely answer to each and write the plan.";
}

type PlanAnswer = Extract<PlannerAnswer, { kind: "plan" }>;
type ReadDraft = ParsedText & { readonly notes: readonly string[] };

/** But in strict mode, a `synthesis` that can't be meant is taken off before anything else is said about the plan. */
function readDraft(document: string, rules: DraftRules): ReadDraft {
  const parsed = parsePlan(document, parseOptions(rules));
  if (parsed.plan || rules.mode === "strict") return { ...parsed, notes: [] };
  const freed = freeSynthesis(document);
  if (!freed) return { ...parsed, notes: [] };
  const notes = freed.stages.map(
    (id) => `Fixed: \`${id}\` is no synthesis stage, because others depend on it.`,
  );
  return { ...parsePlan(freed.document, parseOptions(rules)), notes };
}

function parseOptions({ agents, checkPattern }: DraftRules): Parameters<typeof parsePlan>[1] {
  // What is too long for its task is said in draft-faults.ts, by what the task was assessed as.
  return { origin: "loom", checkPattern, measured: false, ...(agents ? { agents } : {}) };
}

/** Which of the stages a problem is about; -1: none of them. */
function placeOf({ path }: Problem): number {
  return Number(/^(?:stages|phases)\[(\d+)\]/.exec(path)?.[1] ?? -1);
}

function offer(
  plan: Plan,
  sections: PlanDocument["sections"],
  rules: DraftRules,
  found: readonly string[],
): CheckedDraft {
  const named = { ...plan, name: headingOf(rules.title) };
  const kept = keepDocument(plan, rules);
  const notes = kept === null ? found : [...found, ...keptNotes(sections)];
  const document = kept ?? composePlan({ ...rules, plan: named, sections });
  const { plan: again, problems } = parsePlan(document, parseOptions(rules));
  if (!again) return refuse(problems.map(sentence), notes);
  return { plan: document, problems: [], notes: notes.map((note) => shortLine(note, PROBLEM_CHARS)) };
}

/** What people wrote themselves stays theirs: of their document only the plan's block is written anew. */
function keepDocument(plan: Plan, { document = null, amends = null, ...frame }: DraftRules): string | null {
  if (document === null || !amends || isComposed(document, { ...frame, plan: amends })) return null;
  return replacePlanBlock(document, plan);
}

function keptNotes({ why }: PlanDocument["sections"]): string[] {
  const reason = shortLine(why, PROBLEM_CHARS - 100);
  return [
    "People wrote the plan's document: what stands around its stages is as it was.",
    ...(reason === "" ? [] : [`Why the stages are as they are now, says the planner: ${reason}`]),
  ];
}

function asFault(problem: Problem): DraftFault {
  return { text: sentence(problem), severity: problem.severity };
}

function sentence(problem: Problem): string {
  const place = problem.path === "" ? "" : `\`${problem.path}\`: `;
  return `${place}${problemInShort(problem)}`;
}

function refuse(problems: readonly string[], notes: readonly string[] = []): CheckedDraft {
  const shown = [...new Set(problems.map((one) => shortLine(one, PROBLEM_CHARS)))];
  const left = shown.length - MAX_PROBLEMS;
  return {
    plan: null,
    problems: left > 0 ? [...shown.slice(0, MAX_PROBLEMS), `${left} more problems are not listed.`] : shown,
    notes: notes.map((note) => shortLine(note, PROBLEM_CHARS)),
  };
}
