import type { Comment, Issue } from "../../model/types.ts";
import { type Html, html } from "../html.ts";
import { may, mayChangeState, mayComment } from "../may.ts";
import type { RepositoryVisit } from "../visit.ts";
import { textBox } from "./form-parts.ts";
import { icon } from "./icons.ts";
import { moment } from "./moment.ts";
import { avatar, person, standing } from "./people.ts";
import { reactions } from "./reactions.ts";
import { text } from "./text.ts";

/** The first card: what the author wrote when opening the issue or the pull request. */
export function openingCard(visit: RepositoryVisit, issue: Issue): Html {
  return card(visit, {
    id: `issue-${issue.id}`,
    author: issue.author,
    said: html`opened this ${moment(issue.createdAt)}`,
    body: text(visit, issue.body),
    foot: reactions(visit, issue.number, "body", issue.reactions),
    edit: mayEdit(visit, issue.author)
      ? editForm(`${visit.home}/issues/${issue.number}/body`, `issue-${issue.id}`, issue.body)
      : null,
  });
}

export function commentCard(visit: RepositoryVisit, issue: Issue, comment: Comment): Html {
  const edited = comment.updatedAt > comment.createdAt && html` · edited`;
  return card(visit, {
    id: `issuecomment-${comment.id}`,
    author: comment.author,
    said: html`commented ${moment(comment.createdAt)}${edited}`,
    body: text(visit, comment.body),
    foot: reactions(visit, issue.number, String(comment.id), comment.reactions),
    edit: mayEdit(visit, comment.author)
      ? editForm(
          `${visit.home}/issues/${issue.number}/comments/${comment.id}`,
          `issuecomment-${comment.id}`,
          comment.body,
        )
      : null,
  });
}

export function card(
  visit: RepositoryVisit,
  parts: {
    id: string;
    author: string;
    said: Html;
    body: Html;
    foot?: Html;
    edit?: Html | null;
    tone?: string;
  },
): Html {
  return html`<article class="card ${parts.tone ?? ""}" id="${parts.id}">${avatar(parts.author, "big")}
<div class="bubble"><header>${person(parts.author)} <span class="muted">${parts.said}</span><span class="push"></span>${standing(visit, parts.author)}${parts.edit}</header>${parts.body}${parts.foot}</div></article>`;
}

/** A small line between the cards: something happened. */
export function happening(mark: Html, words: Html): Html {
  return html`<div class="happening">${mark}<p>${words}</p></div>`;
}

export function commentForm(visit: RepositoryVisit, issue: Issue): Html {
  if (!mayComment(visit, issue)) {
    return html`<p class="notice">${icon("alert")} ${issue.locked ? "This conversation is locked; only people with write access can comment." : "This account may not comment here."}</p>`;
  }
  const what = issue.pull === null ? "issue" : "pull request";
  const state =
    mayChangeState(visit, issue) &&
    html`<span class="state-buttons">${
      issue.state === "open"
        ? html`<button name="state" value="closed" formnovalidate>${icon(issue.pull === null ? "issueClosed" : "pullClosed", issue.pull === null ? "merged" : "bad")} Close ${what}</button>${
            issue.pull === null &&
            html`<button name="state" value="not_planned" formnovalidate title="Close as not planned">${icon("notPlanned")}<span class="unseen">Close as not planned</span></button>`
          }`
        : html`<button name="state" value="open" formnovalidate>${icon(issue.pull === null ? "issue" : "pull", "good")} Reopen ${what}</button>`
    }</span>`;
  return html`<form method="post" action="${visit.home}/issues/${issue.number}/comments" class="comment-form" id="comment-form">
<div class="write">${avatar(visit.viewer, "big")}<div class="bubble"><header><strong>Add a comment</strong><span class="push"></span><small class="muted wide">Markdown, #numbers and @people work</small></header>
${textBox({ name: "body", id: "new-comment", label: "Comment", placeholder: "Write a comment, or a command such as /loom help", required: true })}
<footer>${state}<button class="primary">Comment</button></footer></div></div></form>`;
}

function mayEdit(visit: RepositoryVisit, author: string): boolean {
  return visit.viewer === author || may(visit, "editOthers");
}

function editForm(action: string, id: string, body: string): Html {
  return html`<details class="menu edit" id="edit-${id}"><summary title="Edit">Edit</summary><form method="post" action="${action}" class="popover right wide-form">${textBox({ name: "body", id: `text-${id}`, label: "Text", placeholder: "", value: body })}<footer><button class="primary">Save</button></footer></form></details>`;
}
