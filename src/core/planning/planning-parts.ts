import { byteLength } from "../markdown/cut-markdown.ts";
import { canRun, isReadOnly } from "../plan/agent-profile.ts";
import type { Plan } from "../plan/plan.ts";
import { renderPlanBlock } from "../plan/render-plan.ts";
import type { Part } from "../prompt/fit-parts.ts";
import type { Roster } from "../roster/roster.ts";
import type { Task } from "../task/task.ts";
import { conversationParts, knowledgeParts, theirs } from "../task/task-parts.ts";
import { shortLine } from "../text/cut-text.ts";
import { counted, formatRoughly } from "../text/durations.ts";
import { listSome } from "../text/list-some.ts";
import { formatUsd } from "../text/money.ts";
import type { PlanningInput, PlanningLimits } from "./planning-input.ts";

/** All that a planner is told but what to do now. Words of people and of agents stand in blocks of their own (T7). */
export function planningParts(input: PlanningInput): Part[] {
  return [
    ...asked(input.task),
    ...conversationParts(input.task.thread, {
      heading: "## What was said about it",
      chars: REMARK_CHARS,
      place: (index, count) => {
        const name = index < count - NEWEST ? "the older comments" : "the last comments";
        return { name, priority: WORTH[name] };
      },
    }),
    ...dialogue(input.task),
    ...words(
      "the design",
      "## The design\n\nIt was made for this task. The plan follows it.",
      input.design ?? "",
      "markdown",
    ),
    ...amended(input),
    ...words("the map", "## The project, in facts", input.map),
    ...knowledgeParts(input.knowledge, WORTH["the knowledge"], KNOWLEDGE_CHARS),
    limits(input.limits),
    roster(input.roster),
    ...lastDraft(input.draft),
  ];
}

/** What goes first when all of it would be too long. */
const WORTH = {
  "the older comments": 10,
  "the knowledge": 20,
  "the map": 30,
  "the last comments": 40,
  "the plan's words": 45,
  "the last draft": 50,
  "the agents": 60,
  "the design": 70,
  "the plan": 80,
  "the answers": 85,
  "the task": 90,
} as const;
type PartName = keyof typeof WORTH;

function own(name: PartName, lead: string, text: string): Part {
  return { name, priority: WORTH[name], lead, text, keep: "start", language: null };
}

function words(name: PartName, lead: string, text: string, language = "text"): Part[] {
  return theirs(name, WORTH[name], lead, text, language);
}

function asked({ title, body, text, origin, kind, isPull }: Task): Part[] {
  const where =
    kind === "revise"
      ? "The plan is for this issue"
      : origin === null
        ? "Somebody asks for this"
        : `${isPull ? "Pull request" : "Issue"} #${origin.issue}`;
  const isNews = kind !== "revise" && text.trim() !== body.trim();
  return [
    ...words("the task", `## What is asked for\n\n${where}:`, `${title}\n\n${body}`, "markdown"),
    ...words("the task", "With the command for this plan came these words:", isNews ? text : ""),
  ];
}

const NEWEST = 6;
const REMARK_CHARS = 6_000;
const KNOWLEDGE_CHARS = 20_000;

function dialogue({ assessment, answers }: Task): Part[] {
  if (!assessment) return [];
  const parts = [
    own("the answers", "## What was found out so far", `The task is ${assessment.complexity}.`),
    ...words("the answers", "Because:", assessment.why),
  ];
  assessment.questions.forEach((question, index) => {
    const answer = answers?.[index];
    if (!answer) return;
    parts.push(
      ...words("the answers", `Question ${index + 1}:`, question.text),
      ...words(
        "the answers",
        answer.by === null ? "Nobody answered, so this holds:" : "A person answered:",
        answer.text,
      ),
    );
  });
  return parts;
}

function amended({ amend }: PlanningInput): Part[] {
  if (!amend) return [];
  const states = amend.states
    .slice(0, 300)
    .map(({ id, state }) => `- ${shortLine(id, 80)}: ${shortLine(state, 80)}`);
  return [
    // Of a plan that was cut, the planner would leave out the rest as well.
    ...theirs("the plan", null, "## The plan as it stands", renderPlanBlock(amend.plan), "yaml"),
    own("the plan", "How far its stages are:", states.join("\n") || "- none has started"),
    ...words("the plan's words", "What else its document says:", amend.words, "markdown"),
    ...words("the task", "## What should be different", amend.wish),
  ];
}

/** The rest of a prompt has to have room beside it. */
const AMENDED_BYTES = 60_000;

/** Whether a planner can be told all of a plan that it is to write anew. */
export function canBeTold(plan: Plan): boolean {
  return byteLength(renderPlanBlock(plan)) <= AMENDED_BYTES;
}

function limits({
  maxStages,
  maxParallel,
  retries,
  timeoutSecs,
  budgetUsd,
  protectedPaths,
  gate,
}: PlanningLimits): Part {
  const lines = [
    `- At most ${counted(maxStages, "stage")}; at most ${maxParallel} run at the same time.`,
    `- Each attempt of a stage may take ${formatRoughly(timeoutSecs * 1000)}; ${counted(retries + 1, "attempt")} each.`,
    ...(budgetUsd === null ? [] : [`- The whole run may cost ${formatUsd(budgetUsd)}.`]),
    ...listed("No stage may change these paths", protectedPaths),
    ...listed(
      "Every stage also has to pass these checks of the whole project, which Loom runs after it",
      gate,
    ),
  ];
  return { ...own("the task", "## Limits", lines.join("\n")), priority: null };
}

function listed(lead: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const quoted = (item: string): string => `\`${shortLine(item, 150).replaceAll("`", "'")}\``;
  return [`- ${lead}: ${listSome(items, 40, quoted)}.`];
}

function roster({ agents }: Roster): Part {
  const lines = [...agents.values()].map((agent) => {
    const lacks = [
      ...(isReadOnly(agent) ? ["change files"] : []),
      ...(canRun(agent) ? [] : ["run commands"]),
    ];
    const cant = lacks.length === 0 ? "" : `, can't ${lacks.join(" or ")}`;
    return `- \`${agent.name}\` (${agent.capability}${cant}, ${agent.timeoutMins} minutes at most): ${shortLine(agent.description, 300)}`;
  });
  const none = "There are none to choose from: leave `agent` out of every stage.";
  return own("the agents", "## Agents that a stage can be given to", lines.join("\n") || none);
}

function lastDraft(draft: PlanningInput["draft"]): Part[] {
  if (!draft) return [];
  return [
    ...words("the last draft", "## Your last draft\n\nLoom could not take it:", draft.answer, "markdown"),
    ...theirs("the last draft", null, "What is wrong with it:", numbered(draft.problems), "text"),
  ];
}

const MAX_PROBLEMS = 41;

export function numbered(problems: readonly string[]): string {
  return problems
    .slice(0, MAX_PROBLEMS)
    .map((problem, index) => `${index + 1}. ${shortLine(problem, 500)}`)
    .join("\n");
}
