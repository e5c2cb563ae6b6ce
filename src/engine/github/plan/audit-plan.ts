import type { Problem } from "../../../core/plan/problem.ts";
import type { RepoEngine } from "../host.ts";

/** A plan that asks for what only the operator may give; it does not get it, whoever approves it (T30). */
export function auditPlan(
  { audit }: Pick<RepoEngine, "audit">,
  problems: readonly Problem[],
  about: { readonly run?: string | undefined; readonly who?: string | undefined },
): void {
  for (const { refused: rule, message } of problems)
    if (rule) audit.refused({ boundary: "plan", rule, ...about, what: message });
}
