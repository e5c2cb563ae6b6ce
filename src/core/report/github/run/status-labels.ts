import type { StatusLabels } from "../../../config/repository/repository-config.ts";
import { assertNever } from "../../../errors.ts";
import type { HostedStatus } from "./views.ts";

/** The label that shows how a run stands; null when none does. A projection for people, never read back. */
export function statusLabel(status: HostedStatus, labels: StatusLabels, needsHuman: boolean): string | null {
  switch (status) {
    case "planning":
      return labels.running;
    case "plan-review":
      return labels.planReview;
    case "running":
      return needsHuman ? labels.needsHuman : labels.running;
    case "paused":
    case "failed":
      return labels.needsHuman;
    case "blocked":
      return labels.blocked;
    case "completed":
      return labels.done;
    case "cancelled":
    case "suspended":
      return null;
    default:
      return assertNever(status);
  }
}
