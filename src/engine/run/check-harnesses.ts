import { harnessesOf } from "../../core/config/harnesses-of.ts";
import type { RunSettings } from "../../core/config/run-settings.ts";
import { UserError } from "../../core/errors.ts";
import type { Plan } from "../../core/plan/plan.ts";
import { startTexts } from "../../core/report/texts/start-texts.ts";
import type { HarnessCheck } from "../../ports/harness.ts";
import type { Engine } from "../engine.ts";

/** null: nothing is known of it here, and whoever gets the work will see. */
export type LookAtHarness = (id: string) => Promise<HarnessCheck | null>;

/** Throws for the first harness of the plan that can't be started: better told now than by each stage. */
export async function assertHarnesses(
  engine: Pick<Engine, "harness">,
  plan: Pick<Plan, "stages" | "complexity">,
  settings: RunSettings,
  look?: LookAtHarness,
): Promise<void> {
  for (const id of harnessesOf(plan, settings)) await assertHarness(engine, id, look);
}

export async function assertHarness(
  engine: Pick<Engine, "harness">,
  id: string,
  look: LookAtHarness = (name) => engine.harness(name).check(),
): Promise<void> {
  // Throws for a name that nobody knows.
  engine.harness(id);
  const check = await look(id);
  if (check?.kind === "missing")
    throw new UserError(startTexts.harnessMissing(id, check.reason), { next: check.next, exitCode: 2 });
}
