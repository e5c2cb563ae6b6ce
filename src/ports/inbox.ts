import type { Delivery } from "../core/command/delivery.ts";
import type { Timestamp } from "../core/ids.ts";

/**
 * Webhook deliveries on their way from the intake to the one who acts on them. A delivery is kept from before the answer
 * to GitHub until its effect is written down, so that neither a crash nor a lost job loses it; its id is remembered for
 * days, so that a repeat has no second effect (T21, F12).
 */
export interface Inbox<D = Delivery> {
  /** Of any number of concurrent callers with one id exactly one hears `new`. */
  put(id: string, delivery: D): Promise<"new" | "waiting" | "done">;
  /** null when it is unknown or done. */
  get(id: string): Promise<D | null>;
  /** Its effect is written down; only the id is remembered from here on. */
  done(id: string): Promise<void>;
  /** Forgets it, as if it had never come: it is not GitHub's, and the real one may still be sent under this id. */
  drop(id: string): Promise<void>;
  /** Oldest first, at most `limit`. */
  waiting(limit: number): Promise<readonly { readonly id: string; readonly since: Timestamp }[]>;
}

/** The inbox as those who bring deliveries see it. */
export interface Intake<D = Delivery> {
  /**
   * Keeps a delivery as `Inbox.put` does, then announces it as a job, unless it is done: a repeat of one that waits is
   * announced again, because whoever kept it may have died before its announcement.
   */
  take(id: string, delivery: D): Promise<"new" | "waiting" | "done">;
}
