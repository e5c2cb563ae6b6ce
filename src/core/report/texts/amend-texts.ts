import { assertNever } from "../../errors.ts";
import type { StageId } from "../../ids.ts";
import { type Problem, problemInShort } from "../../plan/problem.ts";
import type { AmendProblem, Standing } from "../../run/amend-plan.ts";
import { shortLine } from "../../text/cut-text.ts";
import { counted } from "../../text/durations.ts";
import { listSome } from "../../text/list-some.ts";
import { shortSha } from "../terminal/run-counts.ts";

/** "merged", "open as #12", "done by mia". */
export function standingWords(standing: Standing): string {
  switch (standing.kind) {
    case "merged":
      return "merged";
    case "completed":
      return "completed";
    case "skipped":
      return "skipped";
    case "open":
      return standing.pr === null ? "proved" : `open as #${standing.pr}`;
    case "taken":
      return `in the hands of ${standing.by}`;
  }
}

const MAX_NAMED = 8;

/** Why a run can't go on with another plan, and what to do instead. */
export const amendTexts = {
  problem: (problem: AmendProblem): string => {
    switch (problem.kind) {
      case "over":
        return amendTexts.over(problem.status);
      case "removed":
        return amendTexts.removed(problem.stage, problem.standing);
      case "changed":
        return amendTexts.changed(problem.stage, problem.standing, problem.fields);
      case "after":
        return amendTexts.after(problem.stage, problem.standing, problem.added);
      case "too-many":
        return amendTexts.tooMany(problem.count, problem.limit);
      default:
        return assertNever(problem);
    }
  },
  removed: (id: StageId, standing: Standing): string =>
    `\`${id}\` is ${standingWords(standing)}, so it can't be removed. Leave it as it was${instead(id, standing)}`,
  changed: (id: StageId, standing: Standing, fields: readonly string[]): string =>
    `\`${id}\` is ${standingWords(standing)}, so its ${named(fields)} can't change. Leave it as it was${instead(id, standing)}`,
  after: (id: StageId, standing: Standing, added: readonly StageId[]): string =>
    `\`${id}\` comes after all other stages and is ${standingWords(standing)}, so nothing can be added (${named(added)}). ` +
    "Plan that as a run of its own.",
  tooMany: (count: number, limit: number): string =>
    `The plan has ${counted(count, "stage")} now, and this repository allows ${limit} (\`limits.max_stages\`). Split it into two runs.`,
  over: (status: "completed" | "cancelled"): string =>
    `The run is ${status}, so its plan can't change. \`/loom run\` on an issue starts a new one.`,
  planMerged: (pr: number): string =>
    `The plan's pull request #${pr} is merged, so the plan can't change. Plan what is missing as a run of its own.`,
  planClosed: (pr: number | null): string =>
    `The plan's pull request${pr === null ? "" : ` #${pr}`} is closed, so the plan can't change. Reopen it first.`,
  editedMeanwhile: (head: string): string =>
    `Somebody changed the plan on its branch meanwhile (\`${shortSha(head)}\`). Look at that first, then ask again.`,
  /** For the planner. */
  changedMeanwhile: (): string =>
    "Somebody changed the plan while you wrote. Make the requested change in the plan as it stands now.",
  /** All that is wrong with it was said when it was pushed. */
  editRefused: (head: string, planPath: string, problem: string): string =>
    `Somebody pushed a \`${planPath}\` that Loom can't follow (\`${shortSha(head)}\`): ${shortLine(problem, 300)} ` +
    "Push a fixed one, or the one from before, to the plan's branch, then ask again.",
  busy: (): string =>
    "The plan is being changed by somebody else right now. Look at that first, then ask again.",
  brokenConfig: (): string =>
    "`.github/loom.yml` has mistakes, so that nobody knows what a plan may be here. Fix it first.",
  /** Of what is wrong with a plan, what keeps it from being one. */
  errors: (problems: readonly Problem[]): string[] =>
    problems.filter(({ severity }) => severity === "error").map(withPlace),
  tooLongToTell: (): string =>
    "The plan is too long for one agent to write it again without losing a part of it. Push an edit of the plan file to the plan's branch instead; Loom takes it from there.",
  noPlan: (): string => "There is no plan to change yet: it has not been opened as a pull request.",
  missing: (path: string): string => `\`${path}\` is gone, or is no regular file. Put it back.`,
  tooLarge: (path: string): string => `\`${path}\` is larger than a plan may be. Make it shorter.`,
  gone: (): string => "It is no longer in the plan.",
  somebody: (): string => "a push",
};

function withPlace(problem: Problem): string {
  const { line, path } = problem;
  const place = [...(line === null ? [] : [`line ${line}`]), ...(path === "" ? [] : [`\`${path}\``])];
  return `${place.length === 0 ? "" : `${place.join(", ")}: `}${problemInShort(problem)}`;
}

function instead(id: StageId, standing: Standing): string {
  switch (standing.kind) {
    case "merged":
    case "completed":
    case "taken":
      return `, and add a stage that depends on \`${id}\` and changes its work.`;
    case "skipped":
      return ", and add a new stage for what is to be done.";
    case "open":
      return `, and add a stage that depends on \`${id}\`; or close its pull request first, which stops the stage.`;
  }
}

function named(names: readonly string[]): string {
  return listSome(names, MAX_NAMED, (name) => `\`${name}\``);
}
