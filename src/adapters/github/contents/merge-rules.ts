import * as z from "zod";
import type { MergeRules } from "../../../core/merge/merge-rules.ts";
import { readAnswer } from "../api/read-answer.ts";
import type { Repository } from "../repository.ts";

type Method = MergeRules["methods"][number];

const REPOSITORY = "GET /repos/{owner}/{repo}";
const BRANCH = "GET /repos/{owner}/{repo}/branches/{branch}";
const RULES = "GET /repos/{owner}/{repo}/rules/branches/{branch}";

// GitHub tells these only to those who may push; absent means allowed.
const SETTINGS = z.object({
  allow_squash_merge: z.boolean().optional(),
  allow_merge_commit: z.boolean().optional(),
  allow_rebase_merge: z.boolean().optional(),
});

const PROTECTION = z.object({
  protection: z
    .object({
      required_status_checks: z
        .object({ contexts: z.array(z.string()).optional(), strict: z.boolean().optional() })
        .nullish(),
    })
    .optional(),
});

const RULE = z.object({
  type: z.string(),
  parameters: z
    .object({
      required_approving_review_count: z.number().optional(),
      require_code_owner_review: z.boolean().optional(),
      dismiss_stale_reviews_on_push: z.boolean().optional(),
      allowed_merge_methods: z.array(z.string()).optional(),
      required_status_checks: z.array(z.object({ context: z.string() })).optional(),
      strict_required_status_checks_policy: z.boolean().optional(),
    })
    .optional(),
});

/** Rule sets, and of the older branch protection the checks; the rest of that is told to administrators only. */
export async function mergeRules(repository: Repository, branch: string): Promise<MergeRules> {
  const [settingsReply, branchReply, rules] = await Promise.all([
    repository.ask(REPOSITORY),
    repository.ask(BRANCH, { branch }, { answers: [404] }),
    repository.list(RULES, { branch }, RULE),
  ]);
  const settings = readAnswer(SETTINGS, settingsReply, REPOSITORY);
  const protection =
    branchReply.status === 404 ? null : readAnswer(PROTECTION, branchReply, BRANCH).protection;
  const checks = protection?.required_status_checks;
  const parameters = rules.map((rule) => rule.parameters ?? {});
  const linear = rules.some((rule) => rule.type === "required_linear_history");
  const allowed: Record<Method, boolean> = {
    squash: settings.allow_squash_merge ?? true,
    merge: (settings.allow_merge_commit ?? true) && !linear,
    rebase: settings.allow_rebase_merge ?? true,
  };
  const methods = (["squash", "merge", "rebase"] as const).filter(
    (method) =>
      allowed[method] &&
      parameters.every(({ allowed_merge_methods: list }) => list === undefined || list.includes(method)),
  );
  return {
    methods,
    requiredApprovals: Math.max(0, ...parameters.map((one) => one.required_approving_review_count ?? 0)),
    codeOwners: parameters.some((one) => one.require_code_owner_review),
    dismissesReviews: parameters.some((one) => one.dismiss_stale_reviews_on_push),
    requiredChecks: [
      ...new Set([
        ...(checks?.contexts ?? []),
        ...parameters.flatMap((one) => (one.required_status_checks ?? []).map((check) => check.context)),
      ]),
    ],
    upToDate: checks?.strict === true || parameters.some((one) => one.strict_required_status_checks_policy),
    mergeQueue: rules.some((rule) => rule.type === "merge_queue"),
  };
}
