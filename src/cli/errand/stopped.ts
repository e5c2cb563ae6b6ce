import type { ErrandKind } from "../../core/errand/errand-kinds.ts";
import { UserError } from "../../core/errors.ts";
import { localErrandTexts } from "../../core/report/local-errand-texts.ts";
import { INTERRUPTED } from "../listen-for-stop.ts";

/** Who left is told how to go on, where there is something to go on with. */
export function stopped(kind: ErrandKind): UserError {
  const next =
    kind === "plan"
      ? localErrandTexts.stoppedPlanNext()
      : kind === "ask"
        ? localErrandTexts.stoppedAskNext()
        : null;
  return new UserError(localErrandTexts.stopped(), {
    exitCode: INTERRUPTED,
    ...(next === null ? {} : { next }),
  });
}
