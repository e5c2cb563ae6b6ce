import { ForgedRecord } from "../../errors.ts";
import type { LedgerWords } from "./ledger-words.ts";

/** Why something in the store does not count. */
export type SealProblem =
  /** It has no signature at all: an older Loom wrote it, or somebody who does not know that there are any. */
  | { readonly kind: "unsigned" }
  /** Its signature is not this App's, or is that of another text or place. */
  | { readonly kind: "forged" }
  /** The rest of what was written together with it is missing. */
  | { readonly kind: "cut" };

export type SealRule = SealProblem["kind"] | "unreadable";

const KEY_NEXT =
  "If the App's private key was replaced, the operator sets PREVIOUS_PRIVATE_KEY to the old one. Otherwise somebody else can write to Loom's store.";

export const sealTexts = {
  ledger(words: LedgerWords, id: string, event: number, problem: SealProblem): ForgedRecord {
    const about = `Loom does nothing more for the ${words.one} ${id}`;
    switch (problem.kind) {
      case "unsigned":
        return new ForgedRecord(`${about}: event ${event} of its ledger carries no signature.`, {
          next: `An older Loom wrote it, or somebody else who can write to Loom's store. The operator removes the ledger; a signed copy in git brings the ${words.one} back.`,
        });
      case "forged":
        return new ForgedRecord(`${about}: event ${event} of its ledger was not written there by this App.`, {
          next: KEY_NEXT,
        });
      case "cut":
        return new ForgedRecord(`${about}: its ledger was cut off behind event ${event}.`, {
          next: "Somebody else can write to Loom's store.",
        });
    }
  },

  /** Where exactly is for the log, and not for people on GitHub. */
  unreadable: (words: LedgerWords, id: string, cause: unknown): ForgedRecord =>
    new ForgedRecord(`Loom does nothing more for the ${words.one} ${id}: its ledger can't be read.`, {
      next: `The log says what is wrong with it. The operator removes the ledger; a signed copy in git brings the ${words.one} back.`,
      cause,
    }),

  delivery(id: string, problem: SealProblem): ForgedRecord {
    const why =
      problem.kind === "unsigned" ? "carries no signature" : "was not kept under this id by this App";
    return new ForgedRecord(`Delivery ${id} is refused: it ${why}.`, {
      next: `${KEY_NEXT} A real delivery can be sent again from the App's settings on GitHub.`,
    });
  },

  /** For the log, where the operator finds out that somebody tries. */
  audit: ({ message, next }: ForgedRecord): string =>
    `what was written to the store by somebody else. ${message} ${next ?? ""}`.trimEnd(),

  note: (key: string): string =>
    `the note ${JSON.stringify(key.slice(0, 100))}, which was not written by this App and is forgotten.`,
};
