import type { Errand, ErrandId } from "../../core/errand/errand.ts";
import type { ErrandEvent } from "../../core/errand/errand-events.ts";
import { holdLease, leaseName } from "../claim.ts";
import { timestamp } from "../engine.ts";
import { type Watch, watchWanted } from "../watch-wanted.ts";
import type { ErrandEngine } from "./errand-engine.ts";

/** The right to write about an errand. */
export type ErrandClaim = { readonly errand: ErrandId; readonly token: string };

/** Thrown where somebody else has it, or nobody wants it any more: the work is dropped without a word. */
export class ErrandLost extends Error {
  constructor({ errand }: ErrandClaim) {
    super(`the errand ${errand} is no longer ours`);
    this.name = "ErrandLost";
  }
}

export type HeldErrand = { readonly claim: ErrandClaim; release(): Promise<void> };

/** Held by who says in the thread that an agent is at work, for as long as that is under way. */
export function announcementOf(id: ErrandId): string {
  return `announce/${id}`;
}

/** null when it is done, or somebody who is alive is at it. */
export async function claimErrand(engine: ErrandEngine, id: ErrandId): Promise<HeldErrand | null> {
  const before = await engine.errands.load(id);
  if (!before || before.outcome) return null;
  if (before.claim !== null && (await engine.leases.isHeld(leaseName(before.claim)))) return null;
  // Whoever held it died, and what they had started may not have.
  if (before.session) await engine.sandbox.reap(before.session.marker);
  const token = engine.newId();
  const lease = await holdLease(engine, { token });
  const written = await engine.errands.write(id, (errand) =>
    errand.outcome || errand.claim !== before.claim
      ? null
      : [{ type: "errand-claimed", at: timestamp(engine), claim: token }],
  );
  // Looked at after the claim is written, as who announces looks at the claim after the lease is theirs: one of the two
  // sees the other. Otherwise "at work" could be said after the outcome, and stay. Who announces sends for it again.
  if (written && !(await engine.leases.isHeld(announcementOf(id))))
    return { claim: { errand: id, token }, release: lease.release };
  await lease.release();
  return null;
}

type DistributiveOmit<T, K extends keyof never> = T extends unknown ? Omit<T, K> : never;
/** What only the holder may write; claim and time are filled in. */
export type HeldEvent = DistributiveOmit<Extract<ErrandEvent, { claim: string }>, "at" | "claim">;

export async function writeErrand(
  engine: ErrandEngine,
  claim: ErrandClaim,
  ...events: HeldEvent[]
): Promise<Errand> {
  const at = timestamp(engine);
  // What a session took is true and has to be paid, cancelled or not.
  const isCost = events.every(({ type }) => type === "session-ended");
  const errand = await engine.errands.write(claim.errand, (current) =>
    current.claim === claim.token && (current.cancelledBy === null || isCost) && !current.outcome
      ? events.map((event) => ({ ...event, at, claim: claim.token }) as ErrandEvent)
      : null,
  );
  if (!errand) throw new ErrandLost(claim);
  return errand;
}

/** Aborts when the errand was cancelled or taken over, by whichever process. */
export function watchErrand(engine: ErrandEngine, claim: ErrandClaim, outer: AbortSignal): Watch {
  return watchWanted({
    watch: (onChange) => engine.errandStore.watch(claim.errand, onChange),
    async isWanted() {
      const errand = await engine.errands.load(claim.errand);
      return errand?.claim === claim.token && errand.cancelledBy === null;
    },
    outer,
    what: "errand",
  });
}
