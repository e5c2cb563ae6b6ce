import type { RunId, StageId, Timestamp } from "../core/ids.ts";
import type { RunEvent } from "../core/run/events.ts";
import type { Run } from "../core/run/run.ts";

/** One stream for every onlooker: the live table, plain lines and JSON all draw from it. */
export type FeedItem =
  /** `run` is the state after the event, and after whatever was appended together with it. */
  | { readonly kind: "event"; readonly event: RunEvent; readonly run: Run }
  | {
      readonly kind: "activity";
      readonly run: RunId;
      readonly stage: StageId;
      readonly attempt: number;
      readonly at: Timestamp;
      readonly text: string;
    }
  /** A sentence for whoever is watching. */
  | { readonly kind: "notice"; readonly run: RunId; readonly text: string };

export type Feed = (item: FeedItem) => void;
