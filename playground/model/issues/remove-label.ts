import { nextId } from "../next-id.ts";
import { tell } from "../people/subjects.ts";
import { Refusal } from "../refusal.ts";
import type { Issue, Login, Repository } from "../types.ts";
import type { World } from "../world.ts";
import { knownLabel } from "./create-label.ts";

export function removeLabel(
  world: World,
  repository: Repository,
  issue: Issue,
  options: { readonly by: Login; readonly label: string },
): void {
  const label = knownLabel(repository, options.label);
  if (label === null || !issue.labels.includes(label)) throw new Refusal(404, "Label does not exist");
  issue.labels = issue.labels.filter((one) => one !== label);
  const at = world.clock.now();
  issue.updatedAt = at;
  issue.labelEvents.push({ id: nextId(world), event: "unlabeled", label, by: options.by, at });
  tell(
    world,
    issue.pull ? "pull_request" : "issues",
    "unlabeled",
    { repository, sender: options.by },
    { issue, label },
  );
}
