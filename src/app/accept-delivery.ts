import type { Delivery } from "../core/command/delivery.ts";
import type { Intake } from "../ports/inbox.ts";
import { withinTime } from "./within-time.ts";

export type IntakeOptions = {
  readonly intake: Intake;
  /** Loom's own App: what it did itself is no news. */
  readonly appId: number;
  /** How long the intake may take before GitHub hears that it is out of reach. */
  readonly storeTimeoutMs?: number;
};

const STORE_TIMEOUT_MS = 2_000;

/** GitHub sends GUIDs. The header is not covered by the signature, and the id becomes part of keys and file names (T14). */
export const DELIVERY_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

/**
 * Keeps a delivery, then announces it. A crash or an error in between leaves it waiting in the inbox, where a sweep or
 * the redelivery finds it; so a repeat of one that waits is announced again, and only one that is done is not (T21, F12).
 * When the store does not answer, GitHub hears 503 at once, because a delivery that was refused shows up as failed and
 * can be asked for again, and one that was accepted and lost can not (F11).
 */
export async function acceptDelivery(
  options: IntakeOptions,
  id: string,
  delivery: Delivery,
): Promise<"new" | "waiting" | "done"> {
  if (!DELIVERY_ID.test(id)) throw refusal(400, "X-GitHub-Delivery is not an id.");
  try {
    return await withinTime(options.storeTimeoutMs ?? STORE_TIMEOUT_MS, "the store", () =>
      options.intake.take(id, delivery),
    );
  } catch (error) {
    throw refusal(503, "Loom can't reach its store. Redeliver this later.", error);
  }
}

/**
 * The middleware answers with `status` and the message. It counts the message's characters as bytes, so ASCII only; and
 * the cause stays in the log, because whoever sent the webhook has no business with it.
 */
function refusal(status: number, message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { status });
}
