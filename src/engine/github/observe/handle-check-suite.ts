import type { DeliveryOf } from "../../../core/command/delivery.ts";
import { checksOf } from "../../../core/report/github/run/run-checks.ts";
import { allRuns } from "../command/find-run.ts";
import { handleCheckRun } from "../command/handle-check-run.ts";
import type { RepoEngine } from "../host.ts";
import { checkConfigAt } from "../plan/check-config.ts";

/** "Re-run all checks" on a commit: the same as "Re-run" on each of Loom's checks there. */
export async function handleCheckSuite(
  engine: RepoEngine,
  id: string,
  delivery: DeliveryOf<"check-suite">,
): Promise<void> {
  if (delivery.action !== "rerequested" || delivery.sender.bot) return;
  const { head } = delivery;
  for (const run of await allRuns(engine)) {
    const checks = checksOf(run, engine.now()).filter((check) => check.head === head);
    for (const [place, { externalId }] of checks.entries())
      await handleCheckRun(engine, `${id}-${place}`, {
        ...delivery,
        kind: "check-run",
        action: "rerequested",
        externalId,
        button: null,
      });
  }
  await checkConfigAt(engine, head);
}
