import type { Leases } from "../../ports/leases.ts";

export type Slot = { release(): Promise<void> };

/**
 * A slot among those that the agents of one installation may take at a time, on all machines together; null when every
 * one is taken. A slot whose worker died is free again once its lease has ended.
 */
export async function takeSlot(leases: Leases, installation: number, slots: number): Promise<Slot | null> {
  for (let number = 0; number < slots; number += 1) {
    const lease = await leases.acquire(`slot/${installation}/${number}`);
    if (lease.kind === "acquired") return lease;
  }
  return null;
}
