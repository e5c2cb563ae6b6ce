import { assertNever } from "../../../errors.ts";
import { code, escapeSentence } from "../../../markdown/escape-markdown.ts";
import { counted } from "../../../text/durations.ts";
import { sandboxTexts } from "../../texts/sandbox-texts.ts";
import { type CheckConclusion, type CheckReport, checkNames, checkReport } from "./check-report.ts";
import type { HostedStatus, StageView } from "./views.ts";

const MAX_LISTED = 40;

/** One check for the whole run, to be made a required one: green only when every stage has got through. */
export function gateCheck({
  status,
  stages,
  unconfined = false,
}: {
  status: HostedStatus;
  stages: readonly StageView[];
  /** Agents or checks ran without a sandbox. */
  unconfined?: boolean;
}): CheckReport {
  const left = stages.filter(({ state }) => state.word === "skipped").length;
  const done = stages.filter(({ state }) => state.group === "done").length - left;
  const open = stages.filter(({ state }) => state.group !== "done");
  const lines = open.slice(0, MAX_LISTED).map(({ id, state, note, pr }) => {
    const where = pr === null ? "" : ` (#${pr})`;
    return `- ${code(id)}${where}: ${state.word}${note ? `: ${escapeSentence(note, 300)}` : ""}`;
  });
  if (open.length > lines.length) lines.push(`- … and ${counted(open.length - lines.length, "more stage")}.`);
  const { isOver, conclusion, word } = outcomeOf(status);
  const note = unconfined ? `\n${sandboxTexts.runHadNone()}\n` : "";
  return checkReport({
    name: checkNames.gate,
    status: isOver ? "completed" : "in_progress",
    conclusion,
    title: `${word}: ${done} of ${counted(stages.length, "stage")} done${left > 0 ? `, ${left} skipped` : ""}`,
    summary: `${
      open.length === 0
        ? left > 0
          ? "No stage is open.\n"
          : "Every stage is done.\n"
        : `Not done yet:\n\n${lines.join("\n")}\n`
    }${note}`,
  });
}

function outcomeOf(status: HostedStatus): {
  isOver: boolean;
  conclusion: CheckConclusion | null;
  word: string;
} {
  switch (status) {
    case "planning":
    case "running":
      return { isOver: false, conclusion: null, word: "Running" };
    case "plan-review":
      return { isOver: true, conclusion: "action_required", word: "Waits for approval" };
    case "paused":
      return { isOver: true, conclusion: "action_required", word: "Paused" };
    case "blocked":
      return { isOver: true, conclusion: "action_required", word: "Needs you" };
    case "failed":
      return { isOver: true, conclusion: "failure", word: "Failed" };
    case "completed":
      return { isOver: true, conclusion: "success", word: "Done" };
    case "cancelled":
      return { isOver: true, conclusion: "cancelled", word: "Cancelled" };
    case "suspended":
      return { isOver: true, conclusion: "neutral", word: "Loom has no access" };
    default:
      return assertNever(status);
  }
}
