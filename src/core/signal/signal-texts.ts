import type { StageType } from "../plan/plan.ts";
import type { SessionTexts, SmallTexts } from "../session/session-requests.ts";

/** What opens a session of a kind other than a stage's first one. */
export type Opening = "recovery" | "hand-off" | "merge-conflict";

/** The texts that signals are made of; they stand in `prompts/`. Nothing of a run is in any of them. */
export type SignalTexts = Readonly<Record<StageType | Opening, string>> & {
  /** Where every session finds itself, and how it ends. */
  readonly common: string;
  /** Said besides when a completion block is wanted. */
  readonly completion: string;
};

/** All that Loom says to models. */
export type PromptTexts = SignalTexts & {
  readonly sessions: SessionTexts;
  readonly small: SmallTexts;
};
