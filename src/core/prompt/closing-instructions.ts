import { assertNever } from "../errors.ts";
import { isReadOnly } from "../plan/agent-profile.ts";
import type { StagePlan, StageType } from "../plan/plan.ts";
import { shortLine } from "../text/cut-text.ts";
import type { Part } from "./fit-parts.ts";
import type { PromptContext } from "./prompt.ts";

/** What to do now, said last, because the end of a long text is what a model keeps in mind. */
export function closingInstructions(plan: StagePlan, context: PromptContext, completion: string): Part {
  const lines = [
    `## Now`,
    `${whatToDo(plan.type, context)} Stage: ${plan.id}, ${shortLine(plan.name, 200)}.`,
    "End with the sections `## Task Report` and `## Downstream Context`.",
  ];
  if ((context.contract ?? "off") !== "off") lines.push(completion.trim());
  return {
    name: "what to do",
    priority: null,
    lead: lines.join("\n\n"),
    text: "",
    keep: "start",
    language: null,
  };
}

function whatToDo(type: StageType, { kind, agent }: PromptContext): string {
  const onlyReads = agent != null && isReadOnly(agent);
  switch (kind) {
    case "merge-conflict":
      return "Resolve every conflict marker so that both changes keep their purpose.";
    case "retry":
      return onlyReads
        ? "Do the stage again, with what went wrong in mind; change nothing."
        : "Fix what failed, and nothing else.";
    case "recovery":
      return "Look at what is there, then go on to the end.";
    case "hand-off":
      return "Go on where the hand-off ends, and finish the stage.";
    case "stage":
      return onlyReads ? readingWork(type) : stageWork(type);
    default:
      return assertNever(kind);
  }
}

function stageWork(type: StageType): string {
  switch (type) {
    case "standard":
      return "Do this stage, the whole of it, and nothing of the others.";
    case "knowledge":
      return "Explore, and write down what later stages need to know.";
    case "integration-verify":
      return "Show that what the stages made works together.";
    case "code-review":
      return "Review what earlier stages did, and fix what is clearly wrong.";
    case "investigate":
      return "Find the cause and report the diagnosis; write no fix.";
    default:
      return assertNever(type);
  }
}

function readingWork(type: StageType): string {
  switch (type) {
    case "standard":
      return "Work this out and report it; change nothing.";
    case "integration-verify":
      return "Show whether what the stages made works together, and report it; change nothing.";
    case "code-review":
      return "Review what earlier stages did, and report what you find; change nothing.";
    case "knowledge":
    case "investigate":
      return stageWork(type);
    default:
      return assertNever(type);
  }
}
