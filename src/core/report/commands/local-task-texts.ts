import { SEVERITIES, type Severity } from "../../findings/severity.ts";
import type { Sha } from "../../ids.ts";
import { shortLine } from "../../text/cut-text.ts";
import { counted, formatElapsed } from "../../text/durations.ts";
import { shortSha } from "../terminal/run-counts.ts";
import { word } from "../texts/start-texts.ts";

/** What is looked at, as a person is told. */
export type LookedAt = {
  readonly commit: Sha;
  /** null: all of it. */
  readonly from: Sha | null;
  readonly unsaved: boolean;
  readonly untracked: number;
};

const NAME_CHARS = 300;

/** What `loom plan new`, `loom ask`, `loom review` and its like say besides what came of them. */
export const localTaskTexts = {
  lookingAt: ({ commit, from, unsaved, untracked }: LookedAt): string => {
    const what =
      from === null ? "Looking at the whole repository" : `Looking at the change since ${shortSha(from)}`;
    const where = unsaved ? ", with what is not committed yet." : ` at ${shortSha(commit)}.`;
    return `${what}${where}${untracked > 0 ? ` ${localTaskTexts.notKnownToGit(untracked)}` : ""}`;
  },
  notKnownToGit: (count: number): string =>
    count === 1
      ? "One file or folder that git does not know is left out; `git add` brings it in."
      : `${count} files or folders that git does not know are left out; \`git add\` brings them in.`,
  plansFromCommit: (commit: Sha): string =>
    `The plan starts from ${shortSha(commit)}: what is not committed yet is no part of it.`,
  noCommit: (): string => "This repository has no commit yet.",
  noCommitNext: (): string =>
    "Make a first commit (`git commit --allow-empty -m start` will do) and try again.",
  noBase: (base: string): string => `There is no commit ${word(shortLine(base, NAME_CHARS))} here.`,
  noSharedHistory: (base: string): string =>
    `${word(shortLine(base, NAME_CHARS))} and this branch have no commit in common.`,
  noChange: (base: string): string =>
    `There is nothing to look at: all that is here is in ${word(shortLine(base, NAME_CHARS))} already.`,
  noChangeNext: (): string => "Leave out --base to have the whole repository looked at.",
  noBaseNext: (): string => "Name a branch or a commit of this repository with --base.",

  noGoal: (): string => "The goal is empty.",
  noGoalNext: (): string =>
    'Say what is to be done: loom plan new "Add a search page", or loom plan new - < goal.md',
  noQuestion: (): string => "The question is empty.",
  noQuestionNext: (): string => 'Ask something: loom ask "Where are webhooks verified?"',
  nothingToContinue: (): string => "There is no conversation to go on with here.",
  tooLong: (bytes: number): string =>
    `That is more than ${Math.floor(bytes / 1024)} KB of text, which no agent can take in.`,
  tooLongNext: (): string => "Put the details into a file of the repository, and name that file instead.",
  notText: (): string => "That is not UTF-8 text.",
  notTextNext: (): string => "Put it into words, or save the file as UTF-8.",
  noInput: (): string => "There is no standard input to read from.",

  outIsFolder: (out: string): string => `${named(out)} is a folder.`,
  outIsFolderNext: (out: string): string =>
    `Name a file in it: --out ${word(shortLine(`${out.replace(/(?<!\/)\/+$/, "")}/PLAN.md`, NAME_CHARS))}`,
  outIsThere: (out: string): string => `${named(out)} is there already.`,
  /** `plan`: what is there, if it can be run. */
  outIsThereNext: (plan: string | null): string =>
    plan === null
      ? "Name another file with --out, or write over it with --force."
      : `\`loom run ${word(shortLine(plan, NAME_CHARS))}\` runs it. For another plan, name another file with --out, or write over it with --force.`,
  outIsUnwritable: (out: string, reason: string): string => `${named(out)} can't be written: ${reason}`,
  noFolder: (path: string): string => `${named(path)} is not a folder.`,
  outIsUnwritableNext: (): string => "Name another file with --out.",
  outLost: (out: string, reason: string): string =>
    `The plan is made, but ${named(out)} can't be written: ${reason}`,
  outAppeared: (out: string): string => `The plan is made, but ${named(out)} has appeared meanwhile.`,
  outLostNext: (): string =>
    "Clear the way and say the same again, with --force if need be: no agent has to work for it twice.",
  noCheckout: (): string => "This repository is bare: there is no folder for a plan.",
  noCheckoutNext: (): string => "Name a file with --out.",
  goesOn: (begun: string): string =>
    `The same goal was started on ${begun} and not finished; it goes on from there. --fresh starts again.`,

  expressAndDepth: (): string => "--express designs nothing, so it can't go with --depth.",
  expressAndAnswers: (): string => "--express asks nothing, so it can't go with --answers.",
  leaveOneOut: (): string => "Leave out one of them.",
  answersEmpty: (): string => "--answers is empty.",
  answersNotNeeded: (): string => "--answers was not used: no question was open.",
  answersUnused: (): string => "--answers holds no answer to the questions.",
  answerLike: (): string =>
    'Leave out --answers to be asked, or answer like this: --answers "1b 2: use Redis".',

  nobodyToAgree: (): string => "There is nobody here to say yes to the plan.",
  nobodyToAgreeNext: (): string =>
    "Add --yes to run it unread, or write it with `loom plan new`, read it, and start it with `loom run`.",
  oneStageUnread: (): string =>
    "It is not run: --yes is for a plan of the planner's, and this one only stands in its place.",

  taken: (pid: number): string => `Process ${pid} is at work on it.`,
  takenNext: (): string => "Wait until it is done, or end that process.",
  nameTaken: (): string => "Another process has just taken the same name; try again.",
  stopping: (): string => "Stopping: the agent is being ended. A second Ctrl-C does not wait for it.",
  stopped: (): string => "Stopped.",
  stoppedPlanNext: (): string => "The same command goes on from what is known by now.",
  stoppedAskNext: (): string => "`loom ask --continue` goes on with the question.",
  tryingAgain: (ms: number): string => `Trying again in ${formatElapsed(Math.ceil(ms / 1000) * 1000)}.`,
  failsOn: (count: number, severity: Severity): string => {
    const grave = severity === SEVERITIES[0] ? severity : `${severity} or worse`;
    return `${counted(count, "finding")} ${count === 1 ? "is" : "are"} ${grave} (--fail-on ${severity}).`;
  },
};

function named(file: string): string {
  return shortLine(file, NAME_CHARS);
}
