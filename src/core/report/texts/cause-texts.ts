import { assertNever } from "../../errors.ts";
import type { PauseCause, VoidCause } from "../../run/causes.ts";
import { shortSha } from "../terminal/run-counts.ts";

/** Who or what has paused a run. */
export function pausedBy(cause: PauseCause): string {
  switch (cause.kind) {
    case "person":
      return cause.by;
    case "budget":
      return "the budget";
    case "suspended":
      return "GitHub";
    default:
      return assertNever(cause);
  }
}

/** Empty where a person paused it: they give no reason. */
export function whyPaused(cause: PauseCause): string {
  switch (cause.kind) {
    case "person":
      return "";
    case "budget":
      return `The budget of $${cause.usd.toFixed(2)} is spent. Stages that run are finished; \`/loom resume\` goes on all the same.`;
    case "suspended":
      return "The App is suspended.";
    default:
      return assertNever(cause);
  }
}

/** Why an approval no longer counts. */
export function whyVoided(cause: VoidCause): string {
  switch (cause.kind) {
    case "plan-moved":
      return `somebody pushed to the plan after it was approved (${shortSha(cause.from)} → ${shortSha(cause.to)}).`;
    case "label-removed":
      return `the label \`${cause.label}\` was removed.`;
    case "amended":
      return `the plan was changed by ${cause.by}.`;
    case "edit-refused":
      return `the plan was changed by ${cause.by} in a way that Loom can't follow.`;
    default:
      return assertNever(cause);
  }
}
