import type { ErrandId } from "../../../core/errand/errand.ts";
import { needsPerson } from "../../../core/errors.ts";
import { runErrand } from "../../errand/run-errand.ts";
import type { Host, RepoEngine } from "../host.ts";
import { refuseErrand } from "./give-up-on-errand.ts";
import { sendErrand } from "./send-errand.ts";
import { createThreadOffice } from "./thread-office.ts";

/** Goes on with an errand; when it has to wait until some time, it is brought back then. */
export async function doErrand(
  host: Host,
  engine: RepoEngine,
  id: ErrandId,
  signal: AbortSignal,
): Promise<void> {
  const office = createThreadOffice(host, engine);
  const progress = await runErrand(engine, id, office, () => {}, signal).catch(async (error: unknown) => {
    if (!needsPerson(error)) throw error;
    await refuseErrand(host, engine, id, error);
    return { kind: "done" as const };
  });
  if (progress.kind !== "waiting" || progress.until === null) return;
  const errand = await engine.errands.get(id);
  await sendErrand(engine, errand, Math.max(0, progress.until - engine.now()));
}
