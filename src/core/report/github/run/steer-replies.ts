import type { Mistake, Verb } from "../../../command/command.ts";
import { COMMANDS, VERBS } from "../../../command/commands.ts";
import { MAX_COMMANDS } from "../../../command/parse-commands.ts";
import { notAStage, toStage } from "../../../command/to-stage.ts";
import type { Next } from "../../../errors.ts";
import type { StageId } from "../../../ids.ts";
import { code, escapeMarkdown, escapeSentence } from "../../../markdown/escape-markdown.ts";
import { counted } from "../../../text/durations.ts";
import { listSome } from "../../../text/list-some.ts";
import { nearestName } from "../../../text/nearest-name.ts";
import { nextWords } from "../../texts/next-words.ts";
import { commandNames } from "../markdown/command-names.ts";
import { renderStatusReply } from "./panel.ts";

const MAX_LISTED = 12;

/** Answers to those who steer a run: what was done, or why not and what to do instead. */
export const steerReplies = {
  status: renderStatusReply,
  retrying: (stages: readonly StageId[]): string =>
    `${listed(stages)} ${stages.length === 1 ? "gets" : "get"} fresh attempts.`,
  nothingToRetry: (): string =>
    `No stage is stuck, so there is nothing to retry. ${commandNames.status()} says how the run stands.`,
  skipped: (stage: StageId): string => `${code(stage)} is left out; what waits for it goes on without it.`,
  paused: (): string =>
    `Paused. Nothing new starts and nothing is merged; what is at work may finish. ${commandNames.resume()} goes on.`,
  resumed: (): string => "The run goes on.",
  nothingToResume: (): string =>
    `There is nothing to go on with. ${commandNames.status()} says how the run stands; ${commandNames.retry(null)} helps stages that are stuck.`,
  cancelled: (): string =>
    `Cancelled. Agents are being stopped; what is merged stays. ${commandNames.run()} starts again.`,
  taken: (stage: StageId, branch: string): string =>
    `${code(stage)} is yours. Push to ${code(branch, 200)}; Loom then runs the checks of the plan on it and goes on.`,
  answered: (stage: StageId): string => `${code(stage)} has your answer and goes on.`,
  emptyAnswer: (stage: StageId): string =>
    `The answer to ${code(stage)} is empty. Write it behind the name: ${commandNames.answer(stage)}`,
  /** Stages ask, and the answer begins with the name of none. */
  answersNoStage: (word: string, known: readonly StageId[], asking: readonly StageId[]): string => {
    const stage = toStage(word);
    if (stage !== null && nearestName(stage, known) !== null) return steerReplies.noSuchStage(stage, known);
    const problem = stage === null ? escapeSentence(notAStage(word)) : `The run has no stage ${code(stage)}.`;
    const who = asking.length === 1 ? "Answer" : `${listed(asking)} ask; answer`;
    return `${problem} ${who} with ${commandNames.answer(asking[0] ?? "")}`;
  },
  archived: (): string => "The run is archived: its branches and labels are removed, its record stays.",

  heardBefore: (): string =>
    `Loom has acted on this comment before, so nothing happened now. ${commandNames.status()} shows where the run stands; to ask again, write a new comment.`,
  olderThanRun: (): string =>
    "This comment is older than the run in this thread, so nothing happened. If you mean this run, write a new comment.",

  notAllowed: (verb: Verb, role: string): string =>
    `${code(verb)} takes the role ${code(COMMANDS[verb].role)} or more in this repository; yours is ${code(role)}. Ask somebody who has it.`,
  noRun: (): string =>
    `No run belongs to this thread. ${commandNames.run()} on an issue starts one; ${commandNames.help()} lists all commands.`,
  noSuchStage(stage: StageId, known: readonly StageId[]): string {
    const near = nearestName(stage, known);
    return `The run has no stage ${code(stage)}. ${near ? `Did you mean ${code(near)}?` : `It has ${listed(known)}.`}`;
  },
  /** What the engine could not do and why, as it is said to people on a terminal as well. */
  refusal: (message: string, next: Next | null): string =>
    [message, nextWords(next, "github")]
      .filter((sentence) => sentence !== "")
      .map((sentence) => escapeSentence(sentence))
      .join(" "),
  /** A button has no comment to answer, so the reply says whose it was. */
  toButton: (login: string, problem: string): string =>
    `About the button that ${escapeMarkdown(login)} pressed: ${problem}`,
  suspended: (): string =>
    `Loom was suspended or removed from this repository, so the run stopped. Once Loom is back, ${commandNames.resume()} goes on.`,
  fault: (what: string): string =>
    `Something went wrong on Loom's side: ${escapeSentence(what)} Nothing is lost; Loom tries again, and ${commandNames.status()} says how far it is.`,

  gaveUp: (): string =>
    "Loom could not act on this: something went wrong three times in a row, and its operator has been told. Ask again a little later.",

  mistake({ line, message, suggestion, about }: Mistake): string {
    const isUsage = VERBS.some((verb) => COMMANDS[verb].usage === suggestion);
    const hint =
      suggestion === COMMANDS.help.usage
        ? ""
        : isUsage && about !== "verb"
          ? ` It is written ${code(suggestion)}.`
          : ` Did you mean ${code(suggestion)}?`;
    return `Line ${line}: ${escapeSentence(message)}${hint} ${commandNames.help()} lists all commands.`;
  },
  unread: (count: number): string =>
    `${counted(count, "more command")} ${count === 1 ? "was" : "were"} not read: Loom takes ${MAX_COMMANDS} from one comment. Write the rest in another one.`,
};

function listed(ids: readonly StageId[]): string {
  return listSome(ids, MAX_LISTED, (id) => code(id));
}
