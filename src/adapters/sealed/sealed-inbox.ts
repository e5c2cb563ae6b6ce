import * as z from "zod";
import { type Delivery, deliverySchema } from "../../core/command/delivery.ts";
import { type ForgedRecord, UserError } from "../../core/errors.ts";
import { type SealProblem, type SealRule, sealTexts } from "../../core/report/audit/seal-texts.ts";
import type { Inbox, Intake } from "../../ports/inbox.ts";
import type { Seal } from "../../ports/seal.ts";

/**
 * Deliveries that came through Loom's own intake, in a store where others may write too (T32). Each is signed together
 * with its id, so that neither another delivery nor another id goes with the signature.
 */
export type SealedInbox = {
  /** Keeps what it is given, whatever that is. */
  readonly inbox: Inbox<unknown>;
  readonly seal: Seal;
  /** Told of each refusal. */
  readonly onForged: (refused: ForgedRecord, rule: SealRule) => void;
};

export type SealedIntake = { readonly intake: Intake<unknown>; readonly seal: Seal };

/** `s`: signature. `d`: the delivery. */
const storedSchema = z.object({ s: z.string(), d: z.unknown().refine((delivery) => delivery !== undefined) });

export function createSealedInbox({ inbox, seal, onForged }: SealedInbox): Inbox {
  function refuse(id: string, problem: SealProblem): ForgedRecord {
    const refused = sealTexts.delivery(id, problem);
    onForged(refused, problem.kind);
    return refused;
  }

  function open(id: string, stored: unknown): Delivery {
    const read = storedSchema.safeParse(stored);
    if (!read.success) throw refuse(id, { kind: "unsigned" });
    const { s, d } = read.data;
    if (!seal.isSigned([id, JSON.stringify(d)], s)) throw refuse(id, { kind: "forged" });
    const parsed = deliverySchema.safeParse(d);
    if (parsed.success) return parsed.data;
    throw new UserError(
      `Delivery ${id} was kept by another version of Loom: ${z.prettifyError(parsed.error)}`,
      {
        next: "Redeliver it from the App's settings on GitHub.",
      },
    );
  }

  return {
    ...inbox,
    put: (id, delivery) => inbox.put(id, signed(seal, id, delivery)),
    async get(id) {
      const stored = await inbox.get(id);
      return stored === null ? null : open(id, stored);
    },
  };
}

/** For those who bring deliveries and need not see what is kept. */
export function createSealedIntake({ intake, seal }: SealedIntake): Intake {
  return { take: (id, delivery) => intake.take(id, signed(seal, id, delivery)) };
}

function signed(seal: Seal, id: string, delivery: Delivery): z.infer<typeof storedSchema> {
  return { s: seal.sign([id, JSON.stringify(delivery)]), d: delivery };
}
