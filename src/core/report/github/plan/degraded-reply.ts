import { assertNever } from "../../../errors.ts";
import { cutMarkdown, MAX_COMMENT } from "../../../markdown/cut-markdown.ts";
import { code, escapeSentence } from "../../../markdown/escape-markdown.ts";
import type { PlanWish } from "../../../task/task-events.ts";
import type { TaskEnd } from "../../terminal/task-end.ts";
import { commandNames } from "../markdown/command-names.ts";
import { evidenceBlock } from "../markdown/evidence-block.ts";
import { problemList } from "./edit-problems.ts";

/** What became of a planner that brought no sound plan. */
export type DegradedReply = {
  readonly policy: PlanWish["degraded"];
  /** Of its last draft; empty where there was none. */
  readonly problems: readonly string[];
  /** Why it was not asked for another draft; null: it had all its drafts. */
  readonly stopped: TaskEnd | null;
};

const MAX_PROBLEMS = 12;
const OWN_PLAN = code("/loom run path/to/PLAN.md");

export function degradedReply({ policy, problems, stopped }: DegradedReply): string {
  const head = stopped
    ? escapeSentence(stopped.reason)
    : "The planner came up with no plan that passes the checks.";
  const parts = [
    `${head} ${whatItMeans(policy)}`,
    ...evidenceBlock(stopped?.evidence ?? null),
    ...whatWasWrong(problems, stopped !== null),
    ...(policy === "deny" ? [wayOut(stopped)] : []),
  ];
  return cutMarkdown(`${parts.join("\n\n")}\n`, MAX_COMMENT, "");
}

function whatItMeans(policy: DegradedReply["policy"]): string {
  const instead = "Instead there is a plan of one stage, in which one agent does all of it";
  switch (policy) {
    case "allow":
      return `${instead}; this repository allows that.`;
    case "require-approval":
      return `${instead}. It waits for approval like any other.`;
    case "deny":
      return `This repository allows no plan of one stage in its place (${code("planner.degraded: deny")}), so there is none.`;
    default:
      return assertNever(policy);
  }
}

function whatWasWrong(problems: readonly string[], isStopped: boolean): string[] {
  if (!isStopped) return ["What was wrong with the last one:", problemList(problems, MAX_PROBLEMS)];
  if (problems.length === 0) return [];
  return ["What was wrong with its last draft:", problemList(problems, MAX_PROBLEMS)];
}

function wayOut(stopped: TaskEnd | null): string {
  if (!stopped)
    return `Say in the issue what is missing and comment ${commandNames.run()} again, or put a plan of your own into the repository: ${OWN_PLAN}.`;
  const next = escapeSentence(stopped.next);
  return `${next} A plan of your own in the repository needs no planner: ${OWN_PLAN}.`.trimStart();
}
