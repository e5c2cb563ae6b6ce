import { UserError } from "../../core/errors.ts";
import { localErrandTexts } from "../../core/report/local-errand-texts.ts";
import { planningTexts } from "../../core/report/planning-texts.ts";
import { type Io, say, warn } from "../io.ts";
import { planCheck } from "./plan-check.ts";
import { makePlan, type PlanNewOptions } from "./plan-new.ts";
import { run } from "./run.ts";

export type OrchestrateOptions = PlanNewOptions & { readonly yes: boolean };

/** `loom orchestrate`: a plan is written, shown, agreed to, and run. Nothing runs that nobody has said yes to. */
export async function orchestrate(
  io: Io,
  words: readonly string[],
  options: OrchestrateOptions,
): Promise<number> {
  const person = options.json ? null : (io.ask ?? null);
  if (!options.yes && !person)
    throw new UserError(localErrandTexts.nobodyToAgree(), {
      next: localErrandTexts.nobodyToAgreeNext(),
      exitCode: 2,
    });
  const { written, degraded, file } = await makePlan(io, words, options);
  if (!written) return 1;
  if (options.yes && degraded) {
    warn(io, localErrandTexts.oneStageUnread());
    return 1;
  }
  if (!options.yes && person) {
    await planCheck(io, file, { json: false });
    const answer = await person(planningTexts.askToRun());
    if (!/^\s*y(?:es)?\s*$/i.test(answer ?? "")) {
      say(io, planningTexts.readThenRun(file));
      return 0;
    }
  }
  return run(io, file, {
    into: null,
    harness: options.harness,
    maxParallel: null,
    clean: false,
    json: options.json,
  });
}
