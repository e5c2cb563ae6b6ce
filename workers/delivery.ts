import { ensureIntact } from "../src/engine/hosted/ensure-intact.ts";
import { handleDelivery } from "../src/engine/hosted/handle-delivery.ts";
import { loseAccess } from "../src/engine/hosted/handle-installation.ts";
import type { Host } from "../src/engine/hosted/host.ts";
import { takeDelivery } from "../src/engine/hosted/take-delivery.ts";
import { AccessLost } from "../src/ports/hub.ts";
import type { Job } from "../src/ports/job-queue.ts";

/** "Act on delivery X." */
export async function delivery(
  host: Host,
  job: Extract<Job, { kind: "delivery" }>,
  signal: AbortSignal,
): Promise<void> {
  const waiting = await takeDelivery(host, job.delivery);
  if (waiting && "repoRef" in waiting) {
    const engine = await host.meet(waiting.repoRef);
    await ensureIntact(host, engine).catch((error: unknown) => {
      if (!(error instanceof AccessLost)) throw error;
      return loseAccess(engine, error);
    });
  }
  await handleDelivery(host, job.delivery, signal);
}
