import { asData } from "../markdown/as-data.ts";
import { composePrompt } from "../prompt/compose-prompt.ts";
import type { Part } from "../prompt/fit-parts.ts";
import type { PromptTexts } from "../prompt/prompt-texts.ts";
import { skillPart } from "../prompt/skill-part.ts";
import type { SkillName } from "../roster/roster.ts";
import type { Task } from "../task/task.ts";
import type { TaskPrompt } from "../task/task-prompt.ts";
import { counted } from "../text/durations.ts";
import { questionsAllowed } from "./answers/read-questions.ts";
import { fillTemplate } from "./fill-template.ts";
import type { PlanningInput, PlanningPurpose } from "./planning-input.ts";
import { numbered, planningParts } from "./planning-parts.ts";

export type { PlanningInput, PlanningLimits, PlanningPurpose } from "./planning-input.ts";

/** What a session of the planner is started with. `hash` is SHA-256 in hexadecimal. */
export function planningPrompt(
  texts: PromptTexts,
  input: PlanningInput,
  hash: (text: string) => string,
): TaskPrompt {
  const parts = [...skillParts(input), ...planningParts(input), now(input)];
  return composePrompt(rulesFor(texts, input), parts, hash);
}

/** What is said in the conversation that made the answer: it knows all the rest. */
export function redoRequest(
  texts: PromptTexts,
  purpose: PlanningPurpose,
  problems: readonly string[],
): string {
  const { redraft, again } = texts.tasks.planning;
  const text = purpose === "redraft" ? redraft : again;
  return fillTemplate(text, { problems: asData(numbered(problems)) }).trim();
}

function rulesFor(texts: PromptTexts, { purpose, amend }: PlanningInput): string[] {
  const { planning, common } = texts.tasks;
  switch (purpose) {
    case "begin":
      return [planning.begin, planning.format, common];
    case "design":
      return [planning.design, common];
    case "draft":
    case "redraft":
      return [amend ? planning.revise : planning.draft, planning.format, common];
  }
}

const SKILLS: Readonly<Record<PlanningPurpose, readonly SkillName[]>> = {
  begin: ["design-dialogue", "implementation-planning"],
  design: ["design-dialogue"],
  draft: ["implementation-planning"],
  redraft: ["implementation-planning"],
};

/** People may write long ones of their own; they give way before anything that the task says. */
function skillParts({ purpose, roster }: PlanningInput): Part[] {
  return SKILLS[purpose].flatMap((name) => {
    const skill = roster.skills.get(name);
    return skill ? [skillPart(skill, 0)] : [];
  });
}

function now({ purpose, task, amend, draft }: PlanningInput): Part {
  const settle = draft && purpose !== "redraft" ? " Each numbered point has to be settled." : "";
  const lead = `## Now\n\n${instruction(purpose, task, amend !== null)}${settle}`;
  return { name: "the task", priority: null, lead, text: "", keep: "start", language: null };
}

function instruction(purpose: PlanningPurpose, { plan }: Task, amends: boolean): string {
  const most = questionsAllowed(plan?.depth ?? "standard");
  switch (purpose) {
    case "begin":
      return `Look at the code, then answer with a plan, or, where the task is complex or something essential is open, with an assessment of at most ${counted(most, "question")}.`;
    case "design":
      return `Write the design document. Depth: ${plan?.depth ?? "standard"}.`;
    case "draft":
      return amends
        ? "Write the whole plan again, with what should be different."
        : "Write the plan. Nobody can be asked any more: where something is open, take the most likely answer and say so.";
    case "redraft":
      return "Write the whole plan again, so that each numbered point is settled. Leave what was right as it is.";
  }
}
