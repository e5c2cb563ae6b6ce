import { checkBody, checkTitle } from "../checks/check-body.ts";
import { tell } from "../people/subjects.ts";
import type { Issue, Login, Repository } from "../types.ts";
import type { World } from "../world.ts";
import { closeIssue } from "./close-issue.ts";
import { reopenIssue } from "./reopen-issue.ts";

export type IssueEdit = {
  readonly by: Login;
  readonly title?: string;
  readonly body?: string;
  readonly state?: Issue["state"];
  readonly stateReason?: Issue["stateReason"];
};

/** Title, body, state. Reopening a pull request needs git: use `editPull` for those. */
export function editIssue(world: World, repository: Repository, issue: Issue, edit: IssueEdit): Issue {
  const changes = editText(world, issue, edit);
  const at = { repository, sender: edit.by };
  if (changes) tell(world, issue.pull ? "pull_request" : "issues", "edited", at, { issue, changes });
  if (edit.state === "closed") {
    closeIssue(world, repository, issue, { by: edit.by, reason: edit.stateReason ?? "completed" });
  }
  if (edit.state === "open") reopenIssue(world, repository, issue, edit);
  return issue;
}

/** Changes title and body and returns what they were; null when nothing changed. Announces nothing. */
export function editText(
  world: World,
  issue: Issue,
  edit: { readonly title?: string; readonly body?: string },
) {
  const resource = issue.pull ? "PullRequest" : "Issue";
  if (edit.title !== undefined) checkTitle(resource, edit.title);
  if (edit.body !== undefined) checkBody(resource, edit.body);
  const title = edit.title !== undefined && edit.title !== issue.title ? { from: issue.title } : null;
  const body = edit.body !== undefined && edit.body !== issue.body ? { from: issue.body } : null;
  if (!title && !body) return null;
  issue.title = edit.title ?? issue.title;
  issue.body = edit.body ?? issue.body;
  issue.updatedAt = world.clock.now();
  return { ...(title && { title }), ...(body && { body }) };
}
