import type { Failure } from "../../failure/failure.ts";
import { MAX_REDRAFTS } from "../../task/next-task-step.ts";
import type { Task } from "../../task/task.ts";
import type { Purpose, TaskEvent } from "../../task/task-events.ts";
import { shortLine } from "../../text/cut-text.ts";
import { planningTexts } from "../texts/planning-texts.ts";
import { lastLines } from "./task-end.ts";

const DOES: Readonly<Record<Exclude<Purpose, "redraft">, string>> = {
  begin: "reads the code, to see what it takes",
  design: "writes a design",
  draft: "writes the plan",
  answer: "looks for the answer",
  audit: "reads the code",
};

/** What whoever waits is told about one event; null: it is no news. */
export function taskLine(event: TaskEvent, task: Task): string | null {
  switch (event.type) {
    case "session-started": {
      // Why there is another draft, or another first look, was told already.
      if (event.purpose === "redraft" || (event.purpose === "begin" && task.drafts.length > 0)) return null;
      const model = event.model === null ? "" : ` (${shortLine(event.model, 60)})`;
      return `${shortLine(event.harness, 60)}${model} ${DOES[event.purpose]}.`;
    }
    case "session-failed":
      return failureLines(event.failure, task.failures.at(-2) ?? null);
    case "harness-exhausted":
      return `The quota of ${shortLine(event.harness, 60)} is used up.`;
    case "task-assessed":
      return `The task looks ${event.complexity}${event.why.trim() === "" ? "." : `: ${shortLine(event.why, 300)}`}`;
    case "plan-drafted": {
      const { length } = task.drafts;
      return event.plan === null && length <= MAX_REDRAFTS
        ? planningTexts.redrafting(event.problems.length, length, MAX_REDRAFTS)
        : null;
    }
    default:
      return null;
  }
}

const SHOWN_LINES = 6;

/** With the end of what the agent wrote, unless it wrote the same the time before. */
function failureLines({ message, evidence }: Failure, before: Failure | null): string {
  const head = shortLine(message, 500);
  const lines = evidence === null || evidence === before?.evidence ? [] : lastLines(evidence, SHOWN_LINES);
  if (lines.length === 0) return head;
  return [`${head} The end of its output:`, ...lines.map((line) => `  ${shortLine(line, 200)}`)].join("\n");
}
