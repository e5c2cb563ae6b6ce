import type { Errand } from "../errand/errand.ts";
import {
  type Knowledge,
  knowledgeParts,
  mapPart,
  nowPart,
  placeName,
  requestPart,
  threadParts,
} from "../errand/errand-parts.ts";
import { type Change, type ChangeSignal, fitChange } from "../errand/fit-change.ts";
import { composeSignal } from "../signal/compose-signal.ts";
import type { Part } from "../signal/fit-parts.ts";
import type { PromptTexts } from "../signal/signal-texts.ts";

export type AskInput = {
  readonly errand: Pick<Errand, "text" | "title" | "body" | "isPull" | "thread" | "line">;
  /** What the pull request changes; null: it was not asked on one. */
  readonly change: Change | null;
  readonly map: string | null;
  readonly knowledge: Knowledge;
};

/** The question stands behind the thread that it may belong to. `hash` is SHA-256 in hexadecimal. */
export function askSignal(
  texts: PromptTexts,
  { errand, change, map, knowledge }: AskInput,
  hash: (text: string) => string,
  budgetTokens?: number,
): ChangeSignal {
  const { ask, common } = texts.errands;
  const parts = (shown: readonly Part[]): Part[] => [
    ...mapPart(map),
    ...knowledgeParts(knowledge),
    ...shown,
    ...threadParts(errand),
    ...requestPart(
      `## The question${errand.line ? `\n\nAsked on ${placeName(errand.line.place)}:` : ""}`,
      errand.text,
    ),
    nowPart("Answer the question from the code. Your last message is the answer, as people will read it."),
  ];
  return fitChange(change, (shown) => composeSignal([ask, common], parts(shown), hash, budgetTokens));
}
