import { nextId } from "../next-id.ts";
import { tell } from "../people/subjects.ts";
import type { CheckSuite, Login, Repository } from "../types.ts";
import type { World } from "../world.ts";

/** After a push GitHub makes one check suite for each App that may write checks, and asks it to fill the suite. */
export function requestSuites(
  world: World,
  repository: Repository,
  at: { readonly sender: Login; readonly sha: string; readonly branch: string },
): void {
  for (const installation of world.github.installations) {
    if (installation.removed || installation.suspended) continue;
    if (!installation.repositories.includes(repository.id) || installation.permissions.checks !== "write")
      continue;
    const known = repository.checkSuites.some(
      (suite) => suite.app === installation.app && suite.headSha === at.sha,
    );
    if (known) continue;
    const checkSuite = ensureSuite(world, repository, {
      app: installation.app,
      sha: at.sha,
      branch: at.branch,
    });
    tell(world, "check_suite", "requested", { repository, sender: at.sender }, { checkSuite });
  }
}

/** One suite per App and commit. */
export function ensureSuite(
  world: World,
  repository: Repository,
  of: { readonly app: number; readonly sha: string; readonly branch: string | null },
): CheckSuite {
  const known = repository.checkSuites.find((suite) => suite.app === of.app && suite.headSha === of.sha);
  if (known) return known;
  const suite: CheckSuite = {
    id: nextId(world),
    app: of.app,
    headSha: of.sha,
    headBranch: of.branch,
    createdAt: world.clock.now(),
  };
  repository.checkSuites.push(suite);
  return suite;
}
