import { isPull } from "../../model/find.ts";
import { addComment } from "../../model/issues/add-comment.ts";
import { addLabel } from "../../model/issues/add-label.ts";
import { addReaction } from "../../model/issues/add-reaction.ts";
import { closeIssue } from "../../model/issues/close-issue.ts";
import { editComment } from "../../model/issues/edit-comment.ts";
import { editIssue } from "../../model/issues/edit-issue.ts";
import { findComment } from "../../model/issues/find-comment.ts";
import { openIssue } from "../../model/issues/open-issue.ts";
import { removeLabel } from "../../model/issues/remove-label.ts";
import { removeReaction } from "../../model/issues/remove-reaction.ts";
import { reopenIssue } from "../../model/issues/reopen-issue.ts";
import { editPull } from "../../model/pulls/edit-pull.ts";
import { Refusal } from "../../model/refusal.ts";
import type { Issue } from "../../model/types.ts";
import { may, mayChangeState, mayComment, mustBeAllowed } from "../may.ts";
import { isReaction } from "../parts/reactions.ts";
import { type Answer, go, type RepositoryVisit } from "../visit.ts";

export function openIssueAction(visit: RepositoryVisit): Answer {
  mustBeAllowed(visit, "comment");
  const labels = visit.form.getAll("label");
  if (labels.length > 0) mustBeAllowed(visit, "label");
  const { title, body } = { title: visit.form.get("title") ?? "", body: bodyOf(visit) };
  const issue = openIssue(visit.world, visit.repository, {
    by: visit.viewer,
    title: title.trim(),
    body,
    labels,
  });
  return go(addressOf(visit, issue));
}

/** One form has three buttons: comment, close, reopen; the latter two also send what was typed. */
export async function commentAction(visit: RepositoryVisit, issue: Issue): Promise<Answer> {
  const { world, repository, viewer: by, form } = visit;
  const state = form.get("state");
  const body = bodyOf(visit);
  if (state !== null && !mayChangeState(visit, issue)) throw refused(visit, "open or close this");
  let hash = "";
  if (body.trim() !== "" || state === null) {
    if (!mayComment(visit, issue)) throw refused(visit, "comment here");
    hash = `#issuecomment-${addComment(world, repository, issue, { by, body }).id}`;
  }
  if (state !== null) await changeState(visit, issue, state);
  return go(`${addressOf(visit, issue)}${hash}`);
}

async function changeState(visit: RepositoryVisit, issue: Issue, state: string): Promise<void> {
  const { world, repository, viewer: by } = visit;
  if (isPull(issue))
    return editPull(world, repository, issue, { by, state: state === "open" ? "open" : "closed" });
  if (state === "open") return reopenIssue(world, repository, issue, { by });
  closeIssue(world, repository, issue, { by, reason: state === "not_planned" ? "not_planned" : "completed" });
}

export function labelAction(visit: RepositoryVisit, issue: Issue): Answer {
  mustBeAllowed(visit, "label");
  const { world, repository, viewer: by, form } = visit;
  const add = form.get("add");
  const remove = form.get("remove");
  if (add !== null) addLabel(world, repository, issue, { by, label: add });
  if (remove !== null && issue.labels.includes(remove))
    removeLabel(world, repository, issue, { by, label: remove });
  return go(addressOf(visit, issue));
}

/** The same face again takes it back, as on GitHub. */
export function reactionAction(visit: RepositoryVisit, issue: Issue): Answer {
  mustBeAllowed(visit, "react");
  const content = visit.form.get("content") ?? "";
  if (!isReaction(content)) throw new Refusal(422, "This is not one of the eight reactions.");
  const target = visit.form.get("target") ?? "body";
  const on = target === "body" ? issue : commentOf(issue, Number(target));
  const mine = on.reactions.find(
    (reaction) => reaction.user === visit.viewer && reaction.content === content,
  );
  if (mine === undefined) addReaction(visit.world, on, { by: visit.viewer, content });
  else removeReaction(on, mine.id);
  return go(addressOf(visit, issue));
}

export async function editBodyAction(visit: RepositoryVisit, issue: Issue): Promise<Answer> {
  if (issue.author !== visit.viewer && !may(visit, "editOthers")) throw refused(visit, "edit this");
  const edit = { by: visit.viewer, body: bodyOf(visit) };
  if (isPull(issue)) await editPull(visit.world, visit.repository, issue, edit);
  else editIssue(visit.world, visit.repository, issue, edit);
  return go(addressOf(visit, issue));
}

export function editCommentAction(visit: RepositoryVisit, id: number): Answer {
  const { issue, comment } = findComment(visit.repository, id);
  if (comment.author !== visit.viewer && !may(visit, "editOthers")) throw refused(visit, "edit this comment");
  editComment(visit.world, visit.repository, id, { by: visit.viewer, body: bodyOf(visit) });
  return go(`${addressOf(visit, issue)}#issuecomment-${id}`);
}

function commentOf(issue: Issue, id: number): Issue["comments"][number] {
  const found = issue.comments.find((comment) => comment.id === id);
  if (found === undefined) throw new Refusal(404, "This comment is gone.");
  return found;
}

function addressOf(visit: RepositoryVisit, issue: Issue): string {
  return `${visit.home}/${isPull(issue) ? "pull" : "issues"}/${issue.number}`;
}

/** Browsers send line ends as two characters; Markdown and commands expect one. */
function bodyOf(visit: RepositoryVisit): string {
  return (visit.form.get("body") ?? "").replaceAll("\r\n", "\n");
}

function refused(visit: RepositoryVisit, what: string): Refusal {
  return new Refusal(403, `${visit.viewer} may not ${what}. View as somebody else at the top right.`);
}
