import type { Sha } from "../../../ids.ts";
import { code, escapeSentence } from "../../../markdown/escape-markdown.ts";
import { counted } from "../../../text/durations.ts";
import { shortSha } from "../../terminal/run-counts.ts";
import { commandNames } from "../markdown/command-names.ts";

const MAX_PROBLEMS = 30;

/** Why a plan that somebody pushed can't be approved: the same wherever it is asked. */
export function cannotApprove(head: Sha, planPath: string, problems: readonly string[]): string {
  return `${code(planPath, 200)} at ${code(shortSha(head))} can't be approved:\n\n${problemList(problems)}\n\n${wayBack(planPath)}`;
}

/** A push can't be taken back, so it is said how to get out. */
export function wayBack(planPath: string): string {
  return `Push a fixed ${code(planPath, 200)}, or the one from before, to the plan's branch; Loom then reads it again. ${commandNames.cancel()} drops the plan.`;
}

/** What is wrong with a plan, in sentences that may hold others' words. */
export function problemList(problems: readonly string[], most = MAX_PROBLEMS): string {
  if (problems.length === 0) return "- It is not known.";
  const lines = problems.slice(0, most).map((problem) => `- ${escapeSentence(problem, 700)}`);
  const left = problems.length - lines.length;
  return [...lines, ...(left > 0 ? [`- … and ${counted(left, "more problem")}.`] : [])].join("\n");
}
