import { checkDenyWrite, type MergedRules } from "../../core/plan/sandbox-rules.ts";
import { auditTexts } from "../../core/report/audit/audit-texts.ts";
import { quoteSome } from "../../core/text/quote.ts";
import { leaf, type Verdict } from "../../core/verify/verdict.ts";
import { createMatches } from "../session/sandbox-at.ts";
import type { CommitContent } from "./check-content.ts";
import type { CheckDeps } from "./check-scene.ts";

/** A sandbox holds what was there when it was opened; what came later, or came without a sandbox, is found in the commit. */
export async function checkSandboxRules(
  content: CommitContent,
  { patterns, onDoubt }: Pick<CheckDeps, "patterns" | "onDoubt">,
  rules: MergedRules,
): Promise<Verdict | null> {
  const forbidden = checkDenyWrite([...(await content.changed())].sort(), rules, createMatches(patterns));
  if (forbidden.length === 0) return null;
  onDoubt?.({ boundary: "import", rule: "plan-rule", what: auditTexts.planRule(quoteSome(forbidden)) });
  return leaf(
    "failed",
    "sandbox",
    `changed what the sandbox rules of the plan forbid: ${quoteSome(forbidden)}`,
  );
}
