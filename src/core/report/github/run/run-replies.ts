import { REPOSITORY_CONFIG_PATH } from "../../../config/repository/repository-config.ts";
import { assertNever } from "../../../errors.ts";
import type { RunId } from "../../../ids.ts";
import { cutMarkdown, MAX_COMMENT } from "../../../markdown/cut-markdown.ts";
import { code, escapeSentence } from "../../../markdown/escape-markdown.ts";
import type { Problem } from "../../../plan/problem.ts";
import { commandNames } from "../markdown/command-names.ts";
import { countProblems, renderProblems } from "../markdown/problem-list.ts";
import { type AskedQuestions, planningReplies } from "../plan/planning-replies.ts";

/** What became of a wish for a run; see `engine/github/command/request-run.ts`. */
export type RequestReply =
  | { readonly kind: "offered"; readonly run: RunId; readonly pr: number; readonly approved: boolean }
  | { readonly kind: "underway" | "built" | "asked-before"; readonly run: KnownRun }
  /** `asked`: what the planner waits for; null: it is at work. */
  | { readonly kind: "planning"; readonly asked: AskedQuestions | null }
  | { readonly kind: "broken-config"; readonly problems: readonly Problem[] }
  | { readonly kind: "broken-plan"; readonly label: string; readonly problems: readonly Problem[] }
  | { readonly kind: "too-many-stages"; readonly count: number; readonly limit: number }
  | { readonly kind: "no-express" }
  | { readonly kind: "refused"; readonly reason: string; readonly next: string };

type KnownRun = { readonly id: RunId; readonly offer: { readonly pr: number } | null };

const CONFIG = code(REPOSITORY_CONFIG_PATH);

/** Answers to those who ask for a run or a plan. */
export const runReplies = {
  request(outcome: RequestReply): string {
    switch (outcome.kind) {
      case "offered":
        return outcome.approved
          ? `The plan is open and approved: #${outcome.pr} (run ${code(outcome.run)}). The first stages start now.`
          : `The plan is open: #${outcome.pr} (run ${code(outcome.run)}). Nothing runs before somebody approves it there.`;
      case "underway":
        return `A run is on its way: ${linkTo(outcome.run)}. ${commandNames.status()} says how far it is; ${commandNames.cancel()} ends it.`;
      case "built":
        return `This plan is built already: ${linkTo(outcome.run)}. To build it again, put that run away with ${commandNames.archive()} first.`;
      case "asked-before":
        return `Your comment asked for this run before: ${linkTo(outcome.run)}. It has ended; for another one, write a new comment.`;
      case "planning":
        return outcome.asked
          ? planningReplies.waitsForAnswers(outcome.asked)
          : "A plan for this issue is being written already. It will be opened as a pull request.";
      case "broken-config":
        return runReplies.brokenConfig(outcome.problems);
      case "broken-plan":
        return listing(
          `The plan ${code(outcome.label, 200)} can't be run: ${countProblems(outcome.problems)}.`,
          outcome.problems,
          "Fix them and ask again.",
        );
      case "too-many-stages":
        return `The plan has ${outcome.count} stages; this repository allows ${outcome.limit}. Split the issue, or raise ${code("limits.max_stages")} in ${CONFIG}.`;
      case "no-express":
        return `${code("--express")} is not allowed: it takes ${code("approval: { express: true }")} in ${CONFIG}, and a role that may approve plans. ${commandNames.run()} without it opens the plan for approval.`;
      case "refused":
        return `${escapeSentence(outcome.reason)} ${escapeSentence(outcome.next)}`.trimEnd();
      default:
        return assertNever(outcome);
    }
  },
  brokenConfig: (problems: readonly Problem[]): string =>
    listing(
      `Loom can't work here: ${CONFIG} on the default branch has ${countProblems(problems)}.`,
      problems,
      "Fix them there, then ask again.",
    ),
  noAutoRun: (): string =>
    `New issues don't start runs here. Comment ${commandNames.run()} to start one; ${code("auto_run: true")} in ${CONFIG} lets issues ask by themselves.`,
};

function linkTo({ id, offer }: KnownRun): string {
  return offer ? `#${offer.pr} (run ${code(id)})` : `run ${code(id)}`;
}

function listing(head: string, problems: readonly Problem[], end: string): string {
  return cutMarkdown(`${head}\n\n${renderProblems(problems)}\n\n${end}`, MAX_COMMENT, "");
}
