import type { Strictness } from "../config/strictness.ts";
import { branch, type Outcome, type Verdict } from "./verdict.ts";

/** For the checks of the project's gate. */
export function judgeGate(verdicts: readonly Verdict[], strictness: Strictness): readonly Verdict[] {
  return strictness === "lenient"
    ? verdicts.map((one) => turn(one, ["failed"], "warned", "only a warning, because validation is lenient"))
    : verdicts;
}

/** For the whole. */
export function judgeAll(verdict: Verdict, strictness: Strictness): Verdict {
  return strictness === "strict"
    ? turn(verdict, ["warned", "ask"], "failed", "a failure, because validation is strict")
    : verdict;
}

function turn(verdict: Verdict, from: readonly Outcome[], to: Outcome, because: string): Verdict {
  if (verdict.children.length > 0)
    return branch(
      verdict.title,
      verdict.children.map((child) => turn(child, from, to, because)),
      verdict.detail,
    );
  if (!from.includes(verdict.outcome)) return verdict;
  return {
    ...verdict,
    outcome: to,
    detail: verdict.detail === null ? because : `${verdict.detail}; ${because}`,
  };
}
