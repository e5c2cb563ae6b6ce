import type { RunId, Timestamp } from "../../ids.ts";
import { plainText } from "../../text/escape-text.ts";

/** A file name as a shell takes it. */
export function word(name: string): string {
  return /^[\w./@:+,-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}

/** What `loom run` says when there is nothing to start, or nothing may be started. */
export const startTexts = {
  alreadyBuiltElsewhere: (folder: string, target: string, plan: string) =>
    `This plan is already built: ${target} holds ${folder}/. \`loom run ${word(plan)} --clean\` starts it over.`,
  builtButGone: (run: RunId, target: string) =>
    `The run ${run} was completed, but its commits are no longer in ${target}.`,
  wasCancelled: (run: RunId) => `The run ${run} was cancelled.`,
  startOver: (plan: string) => `\`loom run ${word(plan)} --clean\` starts it over.`,
  otherTarget: (run: RunId, has: string, wanted: string) =>
    `The run ${run} merges into ${has}, not into ${wanted}.`,
  otherTargetNext: (has: string) =>
    `Leave out --into or say --into ${has} to go on; --clean starts over with another target.`,
  beingDriven: (run: RunId, pid: number) => `The run ${run} is going on in process ${pid}.`,
  takenUp: (run: RunId, pid: number) => `Done: process ${pid}, which drives ${run}, takes it up at once.`,
  beingDrivenNext: (run: RunId) => `\`loom status ${run} --live\` shows it, \`loom cancel ${run}\` ends it.`,
  reviewNeedsForge: () => "The plan asks for merge.mode review, which needs pull requests.",
  reviewNeedsForgeNext: () =>
    "Name a branch of its own with --into BRANCH and review that, or write `merge: { mode: auto }` into the plan.",
  noDesign: (file: string, ref: string) =>
    `${file} names the design ${ref}, which is no text file of this repository; the run is recorded without it.`,
  planWarnings: (file: string, count: number) =>
    `${file} has ${count} ${count === 1 ? "warning" : "warnings"}; \`loom plan check ${word(file)}\` shows ${count === 1 ? "it" : "them"}.`,
  promptsReplaced: (folder: string, names: readonly string[]) =>
    `Agents are told by prompts of this repository, in ${folder}/, in place of Loom's: ${names.join(", ")}.`,
  rulesKept: (folder: string, names: readonly string[]) =>
    `A repository can't replace Loom's rules of safety: in ${folder}/, ${names.join(" and ")} ${names.length === 1 ? "is" : "are"} not used.`,
  unreadable: (run: RunId, reason: string) => `The run ${run} can't be read: ${reason}`,
  forgetUnreadable: (run: RunId) =>
    `Put the file back from a copy, or forget the run with \`loom clean ${run}\`; what it merged stays.`,
  notOver: (run: RunId) => `The run ${run} is not over: unmerged work would be lost.`,
  notOverNext: (run: RunId) => `\`loom cancel ${run}\` ends it, \`loom resume ${run}\` goes on.`,
  notRecorded: (run: RunId) => `The documents of ${run} are not in its target yet.`,
  notRecordedNext: (run: RunId) => `\`loom resume ${run}\` records it, or says what is in the way.`,
  archived: (run: RunId) =>
    `Archived ${run}. What it merged stays, and \`loom report ${run}\` still shows it.`,
  logsSwept: (on: Timestamp) =>
    `Loom removed the logs that this run had on ${on.slice(0, 10)}, to make room. LOOM_KEEP_DAYS and LOOM_KEEP_MB say what is kept.`,
  isArchived: (run: RunId) => `The run ${run} is already archived.`,
  allArchived: () => "All runs of this repository are archived.",
  allArchivedNext: () => "`loom status --all` shows the newest, `loom runs --all` lists them.",
  nobodyToAsk: (most: number) =>
    `LOOM_EXECUTION_MODE=ask, but there is nobody to ask: up to ${most} stages run at the same time.`,
  askParallel: (most: number) =>
    `Up to ${most} stages of this plan can run at the same time. Run them in parallel or one after the other (sequential)? [P/s] `,
  stopping: () =>
    "Stopping: agents are being ended and their work is kept. A second Ctrl-C does not wait for them.",
  notStarted: () => "Nothing was started.",
  noHarness: (id: string) =>
    plainText(id) === "" ? "The name of the agent is empty." : `There is no agent called ${id}.`,
  noHarnessNext: (known: readonly string[]) =>
    `Known here: ${known.join(", ")}. \`--harness NAME\` chooses one.`,
  noRun: (name: string) =>
    plainText(name) === "" ? "The name of the run is empty." : `There is no run ${name}.`,
  noRunNext: () => "`loom runs` lists the runs of this repository.",
  harnessMissing: (id: string, reason: string) => `The agent ${id} can't be used: ${reason}`,
  branchMade: (branch: string) => `Made the branch ${branch} at the current commit.`,
};
