import { isPull } from "../../model/find.ts";
import { addLabel } from "../../model/issues/add-label.ts";
import { editIssue } from "../../model/issues/edit-issue.ts";
import { openIssue } from "../../model/issues/open-issue.ts";
import { removeLabel } from "../../model/issues/remove-label.ts";
import { atLeast, roleOf } from "../../model/people/role.ts";
import { editPull } from "../../model/pulls/edit-pull.ts";
import { Refusal } from "../../model/refusal.ts";
import type { Issue } from "../../model/types.ts";
import { created, ok, type RepoCall, type Route } from "../call.ts";
import { paginate } from "../paginate.ts";
import { listField, oneOf, optionalText, textField } from "../read-fields.ts";
import { issueShape } from "../shape/issue.ts";
import { issueOf, issueOrPull } from "./issue-of.ts";
import { labelName } from "./labels.ts";

export const ISSUE_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/repos/{owner}/{repo}/issues",
    scope: "repository",
    needs: { permission: ["issues", "pull_requests"], level: "read" },
    handle: listIssues,
  },
  {
    method: "POST",
    path: "/repos/{owner}/{repo}/issues",
    scope: "repository",
    needs: { permission: ["issues"], level: "write" },
    createsContent: true,
    handle: createIssue,
  },
  {
    method: "GET",
    path: "/repos/{owner}/{repo}/issues/{issue_number}",
    scope: "repository",
    needs: { permission: issueOrPull, level: "read" },
    handle: (call) => ok(issueShape(call.world, call.repository, issueOf(call))),
  },
  {
    method: "PATCH",
    path: "/repos/{owner}/{repo}/issues/{issue_number}",
    scope: "repository",
    needs: { permission: issueOrPull, level: "write" },
    handle: updateIssue,
  },
];

/** An author may change what is theirs; everybody else needs the role. */
export function needsRole(call: RepoCall, author: string): void {
  if (call.caller.kind !== "user" || call.by === author) return;
  if (atLeast(roleOf(call.world, call.repository, call.by), "triage")) return;
  throw new Refusal(403, "Must have write rights to Repository.");
}

/** From people without triage GitHub takes the text and drops the labels without a word. */
function mayLabel(call: RepoCall): boolean {
  return call.caller.kind !== "user" || atLeast(roleOf(call.world, call.repository, call.by), "triage");
}

function listIssues(call: RepoCall) {
  const { world, repository, query } = call;
  const state = query.state ?? "open";
  const labels = query.labels?.split(",").filter((label) => label !== "") ?? [];
  const since = query.since === undefined ? 0 : Date.parse(query.since);
  const found = [...repository.issues.values()]
    .filter((issue) => state === "all" || issue.state === state)
    .filter((issue) => labels.every((label) => issue.labels.includes(label)))
    .filter((issue) => query.creator === undefined || issue.author === query.creator)
    .filter((issue) => issue.updatedAt >= since);
  return paginate(call, order(found, query), (issue) => issueShape(world, repository, issue));
}

/** Newest first unless asked otherwise; equal times keep the order of numbers. */
export function order<T extends Issue>(issues: readonly T[], query: Readonly<Record<string, string>>): T[] {
  const time = (issue: T) => (query.sort === "updated" ? issue.updatedAt : issue.createdAt);
  const rising = [...issues].sort((one, other) => time(one) - time(other) || one.number - other.number);
  return query.direction === "asc" ? rising : rising.reverse();
}

function createIssue(call: RepoCall) {
  const { world, repository, body, by, viaApp } = call;
  const text = optionalText(body, "body");
  const labels = mayLabel(call) ? listField(body, "labels")?.map(labelName) : undefined;
  const title = textField(body, "title");
  const options = { by, viaApp, title, ...(text !== undefined && { body: text }), ...(labels && { labels }) };
  return created(issueShape(world, repository, openIssue(world, repository, options)));
}

async function updateIssue(call: RepoCall) {
  const { world, repository, body, by } = call;
  const issue = issueOf(call);
  needsRole(call, issue.author);
  const title = optionalText(body, "title");
  const text = optionalText(body, "body");
  const state = oneOf(body, "state", ["open", "closed"]);
  const reason = oneOf(body, "state_reason", ["completed", "not_planned", "reopened"]);
  const edit = {
    by,
    ...(title !== undefined && { title }),
    ...(text !== undefined && { body: text }),
    ...(state && { state }),
  };
  if (isPull(issue)) await editPull(world, repository, issue, edit);
  else editIssue(world, repository, issue, { ...edit, ...(reason && { stateReason: reason }) });
  const labels = mayLabel(call) ? listField(body, "labels")?.map(labelName) : undefined;
  if (labels) {
    for (const label of [...issue.labels]) {
      if (!labels.includes(label)) removeLabel(world, repository, issue, { by, label });
    }
    for (const label of labels) addLabel(world, repository, issue, { by, label });
  }
  return ok(issueShape(world, repository, issue));
}
