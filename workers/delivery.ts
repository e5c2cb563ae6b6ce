import { handleDelivery } from "../src/engine/github/delivery/handle-delivery.ts";
import { loseAccess } from "../src/engine/github/delivery/handle-installation.ts";
import { takeDelivery } from "../src/engine/github/delivery/take-delivery.ts";
import type { Host } from "../src/engine/github/host.ts";
import { ensureIntact } from "../src/engine/github/recover/ensure-intact.ts";
import { AccessLost } from "../src/ports/github/access-lost.ts";
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
