import { tell } from "../people/subjects.ts";
import type { CheckSuite, Login, Repository } from "../types.ts";
import type { World } from "../world.ts";

/** "Re-run all checks". */
export function rerequestSuite(
  world: World,
  repository: Repository,
  checkSuite: CheckSuite,
  options: { readonly by: Login },
): void {
  tell(world, "check_suite", "rerequested", { repository, sender: options.by }, { checkSuite });
}
