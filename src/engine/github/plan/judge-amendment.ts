import { needsPerson } from "../../../core/errors.ts";
import type { Plan } from "../../../core/plan/plan.ts";
import { amendTexts } from "../../../core/report/texts/amend-texts.ts";
import { nextWords } from "../../../core/report/texts/next-words.ts";
import { type Amendment, amendPlan } from "../../../core/run/amend-plan.ts";
import type { RunEventOf } from "../../../core/run/events.ts";
import type { Run } from "../../../core/run/run.ts";
import { assertHarnesses } from "../../run/check-harnesses.ts";
import { gateAt } from "../../verify/gate-at.ts";
import type { Host, RepoEngine } from "../host.ts";
import { auditPlan } from "./audit-plan.ts";
import { readConfig } from "./read-config.ts";

/** What it takes of the host to change a plan. */
export type AmendParts = Pick<Host, "parsePlan" | "settingsFor" | "lookAtHarness">;

export type Judged =
  | { readonly kind: "refused"; readonly problems: readonly string[] }
  | {
      readonly kind: "unchanged" | "amended";
      readonly wishes: Pick<RunEventOf<"plan-amended">, "gate" | "maxParallel" | "budgetUsd">;
      /** For the moment of writing: stages may have been finished meanwhile. */
      readonly again: (run: Run) => Amendment;
    };

/** Whether the run could go on with this plan, by all that holds for a new one and by what is finished. */
export async function judgeAmendment(
  engine: RepoEngine,
  parts: AmendParts,
  run: Run,
  planText: string,
): Promise<Judged> {
  const { config } = await readConfig(engine);
  if (!config) return { kind: "refused", problems: [amendTexts.brokenConfig()] };
  const { plan, problems } = parts.parsePlan(planText, config.disabledAgents, run);
  auditPlan(engine, problems, { run: run.id });
  if (!plan) return { kind: "refused", problems: amendTexts.errors(problems) };
  const again = (current: Run): Amendment => amendPlan(current, plan, { maxStages: config.limits.maxStages });
  const amendment = again(run);
  if (amendment.kind === "refused")
    return { kind: "refused", problems: amendment.problems.map(amendTexts.problem) };
  const { harness, harnessWins } = run.settings;
  const settings = parts.settingsFor({
    config,
    plan,
    harness: harnessWins ? harness : null,
    budgetUsd: plan.budget.costUsd,
  });
  try {
    await assertHarnesses(
      engine,
      plan,
      { ...run.settings, maxParallel: settings.maxParallel },
      parts.lookAtHarness,
    );
  } catch (error) {
    if (!needsPerson(error)) throw error;
    return { kind: "refused", problems: [`${error.message} ${nextWords(error.next, "github")}`.trim()] };
  }
  // What the request itself said about them stays, unless the plan says something new.
  const isWiderNow = plan.maxParallel !== run.plan.maxParallel;
  const costsOtherwise = plan.budget.costUsd !== run.plan.budget.costUsd;
  return {
    kind: amendment.kind,
    again,
    wishes: {
      ...(await missingGate(engine, run, plan)),
      ...(isWiderNow ? { maxParallel: settings.maxParallel } : {}),
      ...(costsOtherwise ? { budgetUsd: settings.budgetUsd ?? null } : {}),
    },
  };
}

/** From the base of the run, before any agent had touched it (T28). */
async function missingGate(engine: RepoEngine, run: Run, plan: Plan): Promise<{ gate?: string[] }> {
  if (plan.gate !== null || run.gateParts.synthesised !== null) return {};
  await (await engine.forgeFor(run)).fetch([run.base]);
  return { gate: (await gateAt(engine.workspaceFor(run), run.base)).commands };
}
