import { checkBody, checkTitle } from "../checks/check-body.ts";
import { nextId } from "../next-id.ts";
import type { Actor } from "../people/actor.ts";
import { tell } from "../people/subjects.ts";
import type { Issue, Pull, Repository } from "../types.ts";
import type { World } from "../world.ts";
import { addLabel } from "./add-label.ts";

export function openIssue(
  world: World,
  repository: Repository,
  options: Actor & { readonly title: string; readonly body?: string; readonly labels?: readonly string[] },
): Issue {
  checkTitle("Issue", options.title);
  checkBody("Issue", options.body ?? "");
  const issue = addIssue(world, repository, options, null);
  tell(world, "issues", "opened", { repository, sender: options.by }, { issue });
  for (const label of options.labels ?? []) addLabel(world, repository, issue, { by: options.by, label });
  return issue;
}

/** Takes the next number; pull requests come through here too. Announces nothing. */
export function addIssue<P extends Pull | null>(
  world: World,
  repository: Repository,
  options: Actor & { readonly title: string; readonly body?: string },
  pull: P,
): Issue & { readonly pull: P } {
  const now = world.clock.now();
  const issue: Issue & { readonly pull: P } = {
    id: nextId(world),
    number: repository.nextNumber,
    title: options.title,
    body: options.body ?? "",
    author: options.by,
    viaApp: options.viaApp ?? null,
    state: "open",
    stateReason: null,
    labels: [],
    labelEvents: [],
    comments: [],
    reactions: [],
    createdAt: now,
    updatedAt: now,
    closedAt: null,
    closedBy: null,
    locked: false,
    pull,
  };
  repository.nextNumber += 1;
  repository.issues.set(issue.number, issue);
  return issue;
}
