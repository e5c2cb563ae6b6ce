import { type Run, type StageRecord, stageOf } from "../run/run.ts";
import { renderHandOff } from "../session/hand-off.ts";
import { shortLine } from "../text/cut-text.ts";
import { plainLines } from "../text/escape-text.ts";
import { describeChecks } from "./describe-checks.ts";
import type { Part } from "./fit-parts.ts";
import { type PartName, priorityOf } from "./priority.ts";
import type { PromptContext } from "./prompt.ts";

/** What changes with the session: the assignment, what went wrong, what was left, what people said. */
export function dynamicParts(run: Run, record: StageRecord, context: PromptContext): Part[] {
  return [
    ...assignment(run, record),
    ...conflict(context.conflict),
    ...lastFailure(record, context),
    ...handOff(context.handOff),
    ...soFar(context.changedSoFar),
    ...dialogue(record.dialogue),
  ];
}

function assignment(run: Run, { plan }: StageRecord): Part[] {
  const name = shortLine(plan.name, 200);
  const folder =
    plan.workingDir === "." ? "" : `\n\nWork in the folder \`${shortLine(plan.workingDir, 200)}\`.`;
  const parts: Part[] = [
    { ...own("the description", `## Your stage: ${plan.id}\n\n**${name}**${folder}`, ""), priority: null },
    own("the description", "", plainLines(plan.description).trim()),
  ];
  if (plan.files.length > 0) parts.push(own("the owned files", "Files you own:", bullets(plan.files)));
  const changed = plan.dependencies.flatMap((id) => {
    const { files, state } = stageOf(run, id);
    return state.kind === "completed" && files.length > 0
      ? [`${id} changed ${files.slice(0, 12).join(", ")}`]
      : [];
  });
  if (changed.length > 0) {
    parts.push(own("the dependencies' files", "What you build on is merged already:", bullets(changed)));
  }
  const checks = describeChecks(run, plan);
  parts.push(
    checks.length === 0
      ? own("the checks", "", "The plan names no check for this stage; a person will read what comes of it.")
      : own("the checks", "Loom will check on a clean checkout of your change:", bullets(checks)),
  );
  return parts.filter((part) => part.lead !== "" || part.text !== "");
}

function conflict(sides: PromptContext["conflict"]): Part[] {
  if (!sides) return [];
  return [
    own("the conflicting files", "## The conflict\n\nFiles with conflict markers:", bullets(sides.files)),
    theirs("the diffs", "What this stage changed:", sides.ours, "diff"),
    theirs("the diffs", "What was merged meanwhile:", sides.theirs, "diff"),
  ];
}

/** A conflict session that failed is told why; a failure from before the conflict is no concern of the next one. */
function lastFailure({ failures, session }: StageRecord, { kind, conflict }: PromptContext): Part[] {
  const last = failures.at(-1);
  if (!last || kind === "stage") return [];
  const isOld = session === null || last.at < Date.parse(session.startedAt);
  if (conflict && isOld) return [];
  const parts = [
    own("the failure", "## Why the last attempt did not get through", shortLine(last.message, 1_000)),
  ];
  if (last.evidence) {
    const lead = "What showed it, in the words of the program that ran:";
    parts.push({ ...theirs("the evidence", lead, last.evidence, "text"), keep: "end" });
  }
  return parts;
}

function handOff(left: PromptContext["handOff"]): Part[] {
  if (!left) return [];
  const who =
    left.by === "loom"
      ? "Loom wrote this from what the session before you did:"
      : "The session before you wrote this, for you:";
  return [theirs("the hand-off", `## The hand-off\n\n${who}`, renderHandOff(left), "markdown")];
}

function soFar(diff: string | null): Part[] {
  if (!diff) return [];
  const lead = "## Already changed\n\nYour work tree holds this. Build on it; change it where it is wrong.";
  return [theirs("the diffs", lead, diff, "diff")];
}

const SHOWN_ANSWERS = 12;

/** Each side has a block of its own, so that no question can bring its own answer. */
function dialogue(entries: StageRecord["dialogue"]): Part[] {
  const answered = entries.filter((one) => one.answer !== null).slice(-SHOWN_ANSWERS);
  return answered.flatMap(({ question, answer }, index) => [
    theirs(
      "the answers",
      `${index === 0 ? "## Answers to your questions\n\n" : ""}An earlier session of this stage asked:`,
      `Question: ${question}`,
      "text",
    ),
    theirs("the answers", "A person answered:", `Answer: ${answer}`, "text"),
  ]);
}

function bullets(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join("\n");
}

function own(name: PartName, lead: string, text: string): Part {
  return { name, priority: priorityOf(name), lead, text, keep: "start", language: null };
}

/** Somebody else's words, or a program's. */
function theirs(name: PartName, lead: string, text: string, language: string): Part {
  return { ...own(name, lead, plainLines(text).trim()), language };
}
