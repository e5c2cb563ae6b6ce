import type { TaskKind } from "../../core/command/task-kinds.ts";
import { UserError } from "../../core/errors.ts";
import { localTaskTexts } from "../../core/report/commands/local-task-texts.ts";
import { INTERRUPTED } from "../listen-for-stop.ts";

/** Who left is told how to go on, where there is something to go on with. */
export function stopped(kind: TaskKind): UserError {
  const next =
    kind === "plan"
      ? localTaskTexts.stoppedPlanNext()
      : kind === "ask"
        ? localTaskTexts.stoppedAskNext()
        : null;
  return new UserError(localTaskTexts.stopped(), {
    exitCode: INTERRUPTED,
    ...(next === null ? {} : { next }),
  });
}
