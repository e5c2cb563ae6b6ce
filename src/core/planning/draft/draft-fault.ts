import type { StageId } from "../../ids.ts";

/** What is asked of a planner beyond what makes a plan valid. A note never goes back: people are told, and decide. */
export type DraftFault = {
  readonly severity: "error" | "warning" | "note";
  readonly text: string;
  /** Something is not there: in this stage, or, when null, in the plan. It may only have been unreadable. */
  readonly lacking?: StageId | null;
};
