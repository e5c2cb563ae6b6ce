import type { RunSettings } from "../../core/config/run-settings.ts";
import type { ExecutionMode } from "../../core/config/settings/settings.ts";
import { UserError } from "../../core/errors.ts";
import { profileOf } from "../../core/graph/profile.ts";
import { buildGraph } from "../../core/graph/stage-graph.ts";
import { withSynthesis } from "../../core/graph/with-synthesis.ts";
import type { Plan } from "../../core/plan/plan.ts";
import { startTexts } from "../../core/report/texts/start-texts.ts";
import type { Io } from "../io.ts";
import type { RunOutput } from "../output/run-output.ts";

const INTERRUPTED = 130;

export type ParallelWish = {
  readonly plan: Pick<Plan, "stages">;
  readonly wanted: Pick<RunSettings, "maxParallel">;
  readonly executionMode: ExecutionMode;
  readonly options: { readonly json: boolean; readonly maxParallel: number | null };
};

/** LOOM_EXECUTION_MODE=ask: one question before a plan starts whose stages could be worked on at the same time. */
export async function chooseParallel(
  io: Pick<Io, "ask">,
  { output }: { readonly output: Pick<RunOutput, "note"> },
  { plan, wanted, executionMode, options }: ParallelWish,
): Promise<Pick<RunSettings, "maxParallel">> {
  const { maxParallel } = wanted;
  if (executionMode !== "ask" || options.maxParallel !== null) return { maxParallel };
  const { width } = profileOf(withSynthesis(buildGraph(plan.stages), plan.stages));
  const most = Math.min(width, maxParallel);
  if (most < 2) return { maxParallel };
  if (!io.ask || options.json) {
    output.note(startTexts.nobodyToAsk(most));
    return { maxParallel };
  }
  const answer = await io.ask(startTexts.askParallel(most));
  if (answer === null) throw new UserError(startTexts.notStarted(), { exitCode: INTERRUPTED });
  return { maxParallel: /^\s*(?:s|one|1)/i.test(answer) ? 1 : maxParallel };
}
