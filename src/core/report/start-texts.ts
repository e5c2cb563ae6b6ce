import type { RunId } from "../ids.ts";

/** A file name as a shell takes it. */
function word(name: string): string {
  return /^[\w./@:+,-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
}

/** What `loom run` says when there is nothing to start, or nothing may be started. */
export const startTexts = {
  alreadyBuiltElsewhere: (run: RunId, target: string, plan: string) =>
    `This plan is already built: ${target} holds .loom/${run}/. \`loom run ${word(plan)} --clean\` starts it over.`,
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
  planWarnings: (file: string, count: number) =>
    `${file} has ${count} ${count === 1 ? "warning" : "warnings"}; \`loom plan check ${word(file)}\` shows ${count === 1 ? "it" : "them"}.`,
  unreadable: (run: RunId, reason: string) => `The run ${run} can't be read: ${reason}`,
  forgetUnreadable: (run: RunId) =>
    `Put the file back from a copy, or forget the run with \`loom clean ${run}\`; what it merged stays.`,
  harnessMissing: (id: string, reason: string) => `The agent ${id} can't be used: ${reason}`,
  branchMade: (branch: string) => `Made the branch ${branch} at the current commit.`,
};
