import { nextId } from "../next-id.ts";
import { tell } from "../people/subjects.ts";
import type { Issue, Login, Repository } from "../types.ts";
import type { World } from "../world.ts";
import { createLabel, knownLabel } from "./create-label.ts";

/** A label that the repository does not have is made. A label that is there already is nothing. */
export function addLabel(
  world: World,
  repository: Repository,
  issue: Issue,
  options: { readonly by: Login; readonly label: string },
): void {
  const { by } = options;
  const label =
    knownLabel(repository, options.label) ?? createLabel(world, repository, { by, name: options.label });
  if (issue.labels.includes(label)) return;
  issue.labels.push(label);
  const at = world.clock.now();
  issue.updatedAt = at;
  issue.labelEvents.push({ id: nextId(world), event: "labeled", label, by, at });
  tell(
    world,
    issue.pull ? "pull_request" : "issues",
    "labeled",
    { repository, sender: by },
    { issue, label },
  );
}
