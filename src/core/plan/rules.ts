import type { PlanDraft, Rule } from "./plan-draft.ts";
import type { Reporter } from "./report-problems.ts";
import { checkAgents } from "./rules/check-agents.ts";
import { checkCycles } from "./rules/check-cycles.ts";
import { checkLimits } from "./rules/check-limits.ts";
import { checkOwnership } from "./rules/check-ownership.ts";
import { checkProof } from "./rules/check-proof.ts";
import { checkRedundancy } from "./rules/check-redundancy.ts";
import { checkSize } from "./rules/check-size.ts";
import { checkSynthesis } from "./rules/check-synthesis.ts";

/** What holds between the fields of a stage, and between stages. Ids and dependencies come before: read-outlines.ts. */
const RULES: readonly Rule[] = [
  checkCycles,
  checkSynthesis,
  checkRedundancy,
  checkOwnership,
  checkProof,
  checkAgents,
  checkLimits,
  checkSize,
];

export function checkRules(draft: PlanDraft, reporter: Reporter): void {
  for (const rule of RULES) rule(draft, reporter);
}
