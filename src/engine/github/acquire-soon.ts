import type { LeaseResult } from "../../ports/leases.ts";
import type { Host } from "./host.ts";

const PATIENCE_MS = 20_000;
const LOOK_AGAIN_MS = 100;

/** Waits for a lease that somebody may hold for a moment; it stays held when that takes longer than people would wait. */
export async function acquireSoon(
  { leases, now }: Pick<Host, "leases" | "now">,
  name: string,
  signal?: AbortSignal,
): Promise<LeaseResult> {
  const end = now() + PATIENCE_MS;
  for (;;) {
    const lease = await leases.acquire(name);
    if (lease.kind === "acquired" || signal?.aborted || now() > end) return lease;
    await new Promise((done) => setTimeout(done, LOOK_AGAIN_MS));
  }
}
