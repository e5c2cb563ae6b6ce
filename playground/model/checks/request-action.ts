import { tell } from "../people/subjects.ts";
import { Refusal } from "../refusal.ts";
import type { CheckRun, Login, Repository } from "../types.ts";
import type { World } from "../world.ts";

/** A person clicks a button of a check run. Buttons show only when the run is complete. */
export function requestAction(
  world: World,
  repository: Repository,
  checkRun: CheckRun,
  options: { readonly by: Login; readonly identifier: string },
): void {
  const known = checkRun.actions.some((action) => action.identifier === options.identifier);
  if (checkRun.status !== "completed" || !known) {
    throw new Refusal(422, `This check run has no button "${options.identifier}".`);
  }
  const requestedAction = { identifier: options.identifier };
  tell(
    world,
    "check_run",
    "requested_action",
    { repository, sender: options.by },
    { checkRun, requestedAction },
  );
}
