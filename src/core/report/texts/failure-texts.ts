import { MOST_FINDINGS } from "../../config/change-limits.ts";
import type { Failure, FailureKind } from "../../failure/failure.ts";
import { type RunId, type StageId, stageBranch } from "../../ids.ts";
import { visiblePath } from "../../paths/visible-name.ts";
import { listSome } from "../../text/list-some.ts";
import { quote } from "../../text/quote.ts";
import { commandFor } from "./escalation.ts";
import { type ClosedSetUp, type SetUpProblem, setupTexts } from "./setup-texts.ts";

/** Every sentence that says why something did not get through, next to the kind that decides what follows. */

const failure = (kind: FailureKind, message: string, evidence: string | null = null): Failure => ({
  kind,
  message,
  evidence,
});

export const failures = {
  agentFailed: (code: number, tail: string) =>
    failure("agent-failed", `The agent ended with exit code ${code}.`, tail || null),
  crashed: (signal: string, tail: string) =>
    failure("crashed", `The agent was ended by ${signal}.`, tail || null),
  transient: (reason: string, tail: string) =>
    failure("transient", `The agent could not work just now: ${reason}`, tail || null),
  quota: (harness: string, reason: string, tail: string) =>
    failure("transient", `${harness} is out of quota: ${reason}`, tail || null),
  credentials: (harness: string, reason: string) =>
    failure("credentials", `${harness} can't be used: ${reason}`),
  agentSaid: (harness: string, message: string, tail: string) =>
    failure("agent-failed", `${harness} could not go on: ${message}`, tail || null),
  contextOverflow: (handOffs: number, budget: number, tail: string) =>
    failure(
      "context-overflow",
      handOffs === 0
        ? "The stage does not fit into the model's context. Split it into smaller stages."
        : `The stage used up ${budget} % of the model's context ${handOffs + 1} times and is not done. Split it into smaller stages.`,
      tail || null,
    ),
  contractUnmet: (problem: string) =>
    failure("contract-unmet", `The agent did not end in the agreed form: ${problem}.`),
  /** `agent`: whose own limit it was; null: it was that of the stage. */
  timedOut: (secs: number, agent: string | null, tail: string) =>
    failure(
      "timeout",
      `The agent was still working after ${duration(secs)}, the ceiling of ${agent === null ? "this stage" : `the agent ${quote(agent)}`}.`,
      tail || null,
    ),
  stalled: (secs: number, tail: string) =>
    failure(
      "stalled",
      `The agent gave no sign of life for ${duration(secs)} and left nothing to check.`,
      tail || null,
    ),
  stalledAndRed: (message: string, evidence: string | null) =>
    failure(
      "stalled",
      `The agent stopped giving signs of life, and what it left did not pass: ${message}`,
      evidence,
    ),
  notStarted: (harness: string, reason: string) =>
    failure("harness-missing", `The harness ${harness} can't be started: ${reason}`),
  noChange: () => failure("no-change", "The agent ended without an error but changed nothing."),
  refused: (findings: readonly { path: string; rule?: string; message: string }[]) =>
    failure(
      "refused",
      findings.some((one) => one.rule === "change-too-large")
        ? "The change is too large for one stage."
        : `The change touches what Loom does not take from an agent: ${list(findings.map((one) => visiblePath(one.path)))}.`,
      refusals(findings),
    ),
  markersLeft: (files: readonly string[]) =>
    failure("conflict-unresolved", `The session left conflict markers in ${list(files)}.`),
  /** `closed`: it had no network. */
  setupFailed: ({ command, how }: SetUpProblem, output: string, closed: ClosedSetUp | null) =>
    failure(
      "setup-failed",
      `The set-up command \`${command}\` ${how}.${closed ? ` ${setupTexts.closed(closed)}` : ""}`,
      output || null,
    ),
  /** Of a revision, which has nothing left to change. */
  runOver: () => failure("cancelled", "The run ended meanwhile, so there is no plan left to change."),
  noRevision: (reason: string) => failure("cancelled", reason),
  preconditionFailed: (message: string, evidence: string | null) =>
    failure("precondition-failed", `A \`before\` check does not hold on the base: ${message}`, evidence),
  checksFailed: (message: string, evidence: string | null) => failure("checks-failed", message, evidence),
  checksFailedOnTarget: (target: string, message: string, evidence: string | null) =>
    failure(
      "checks-failed",
      `It passed alone, but not on top of what was merged into ${target} meanwhile: ${message}`,
      evidence,
    ),
  outOfReach: (agent: string, message: string, evidence: string | null) =>
    failure(
      "out-of-reach",
      `${message} ${quote(agent)} can't change files, so another session of it would end the same way. Fix it by hand or in a new stage, then retry this one.`,
      evidence,
    ),
  branchTaken: (branch: string) =>
    failure("merge-blocked", `Somebody else moved the branch ${branch}, so Loom leaves it alone.`),
  branchMoved: (branch: string, stage: StageId) =>
    failure(
      "branch-taken",
      `Somebody pushed to ${branch}. Loom never overwrites that: \`/loom take ${stage}\` lets Loom prove it and go on with it; deleting the branch and \`/loom retry ${stage}\` starts over.`,
    ),
  branchDeleted: (branch: string, stage: StageId) =>
    failure(
      "branch-taken",
      `Somebody deleted the branch ${branch}. \`/loom retry ${stage}\` does the stage again, \`/loom skip ${stage}\` leaves it out.`,
    ),
  pullClosed: (pr: number, stage: StageId) =>
    failure(
      "pull-closed",
      `Somebody closed #${pr} without merging it. Reopen it to go on, or \`/loom skip ${stage}\` to leave the stage out.`,
    ),
  mergedElsewhere: (pr: number, base: string, target: string, stage: StageId) =>
    failure(
      "pull-closed",
      `Somebody merged #${pr} into ${base}, so its work is not in ${target}. \`/loom retry ${stage}\` offers it again, \`/loom skip ${stage}\` leaves it out.`,
    ),
  leftQueue: (pr: number | null, times: number) =>
    failure(
      "merge-blocked",
      `${pr === null ? "It" : `#${pr}`} left the merge queue ${times} times without being merged. Look at the queue's checks, then retry the stage.`,
    ),
  held: (reason: string, next: string) => failure("merge-blocked", `${reason} ${next}`.trimEnd()),
  gateChanged: (why: string, evidence: string | null, run: RunId, stage: StageId, target: string) =>
    failure(
      "merge-blocked",
      `${why} Loom does not merge it by itself: look at what ${stageBranch(run, stage)} changes there. If that is right, merge it into ${target}; if not, ${commandFor.skip(run, stage)} leaves it out.`,
      evidence,
    ),
  targetRewound: (target: string, stage: StageId) =>
    failure(
      "target-rewound",
      `${target} no longer contains the merged stage ${stage}: it was rewound or rewritten during the run.`,
    ),
  infrastructure: (message: string) => failure("infrastructure", message),
  waitsFor: (stage: StageId, critical = false) =>
    failure("dependency", `It waits for ${critical ? "the critical stage " : ""}${stage}, which is blocked.`),
  quarantined: (deaths: number) =>
    failure(
      "quarantined",
      `Loom itself ended ${deaths} times while this stage ran, so it is not started again.`,
    ),
  unresolved: (sessions: number, files: readonly string[]) =>
    failure(
      "conflict-unresolved",
      `It still conflicts with the target after ${sessions} sessions: ${list(files)}.`,
    ),
  conflictsByHand: (target: string, files: readonly string[]) =>
    failure("conflict-unresolved", `It conflicts with ${target} in ${list(files)}.`),
  noWayToStart: () => failure("infrastructure", "The scheduler found no way to start this stage."),
};

/** Each as one line; whoever made thousands made them in one way. */
function refusals(findings: readonly { path: string; message: string }[]): string {
  const lines = findings
    .slice(0, MOST_FINDINGS)
    .map(({ path, message }) => (path === "." ? message : `${visiblePath(path)}: ${message}`));
  const left = findings.length - lines.length;
  return [...lines, ...(left > 0 ? [`… and ${left} more`] : [])].join("\n");
}

function list(items: readonly string[]): string {
  return listSome(items, 5);
}

function duration(secs: number): string {
  if (secs < 120) return `${secs} s`;
  return secs < 7200 ? `${Math.round(secs / 60)} min` : `${Math.round(secs / 360) / 10} h`;
}
