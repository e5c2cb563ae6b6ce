import type { Leases } from "../../ports/leases.ts";

export type Seat = { release(): Promise<void> };

/**
 * A seat among those that the agents of one installation may take at a time, on all machines together; null when every
 * one is taken. A seat whose worker died is free again once its lease has ended.
 */
export async function takeSeat(leases: Leases, installation: number, seats: number): Promise<Seat | null> {
  for (let number = 0; number < seats; number += 1) {
    const lease = await leases.acquire(`seat/${installation}/${number}`);
    if (lease.kind === "acquired") return lease;
  }
  return null;
}
