import { tell } from "../people/subjects.ts";
import { Refusal } from "../refusal.ts";
import type { CheckRun, Login, Repository } from "../types.ts";
import type { World } from "../world.ts";

/** The Re-run button, or the API: the run stays as it is; its App is told and has to do the rest. */
export function rerequestCheckRun(
  world: World,
  repository: Repository,
  checkRun: CheckRun,
  options: { readonly by: Login },
): void {
  if (checkRun.status !== "completed") {
    throw new Refusal(422, "This check run is not complete and cannot be re-requested.");
  }
  tell(world, "check_run", "rerequested", { repository, sender: options.by }, { checkRun });
}
