import type { ErrandOutcome } from "../../../core/errand/errand-events.ts";

/** What an errand comes to in its thread: the text that takes the place of "at work", and how it ended. */
export type Delivered = { readonly text: string; readonly outcome: ErrandOutcome };
