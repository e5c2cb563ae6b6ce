import { planPull } from "../../../core/report/github/plan/plan-pull.ts";
import { planPullView, wasUnconfined } from "../../../core/report/github/run/run-views.ts";
import { agentList } from "../../../core/roster/agent-list.ts";
import { estimatePlan } from "../../../core/run/estimate-plan.ts";
import type { Run } from "../../../core/run/run.ts";
import { allRuns } from "../command/find-run.ts";
import type { RepoEngine } from "../host.ts";

/** Title and text of the plan's pull request: all that people decide on. */
export async function describePlan(engine: RepoEngine, run: Run): Promise<{ title: string; body: string }> {
  const rules = await engine.contents.rules(run.target);
  const earlier = (await allRuns(engine)).filter(({ id }) => id !== run.id);
  return planPull({
    ...planPullView(run, rules),
    unconfined: wasUnconfined(run),
    estimate: estimatePlan(run.plan, run.graph, earlier, run.settings.maxParallel),
    readOnlyAgents: new Set(
      [...agentList(engine.roster)].filter(([, { readOnly }]) => readOnly).map(([name]) => name),
    ),
  });
}
