import type { PullIssue } from "../../model/find.ts";
import type { Review } from "../../model/types.ts";
import { type Html, html } from "../html.ts";
import { may } from "../may.ts";
import type { RepositoryVisit } from "../visit.ts";
import { textBox } from "./form-parts.ts";
import { icon } from "./icons.ts";
import { avatar, person } from "./people.ts";

/** The last word of each reviewer; a comment does not take an approval back. */
export function lastReviews(issue: PullIssue): Review[] {
  const last = new Map<string, Review>();
  for (const review of issue.pull.reviews) {
    if (review.state !== "COMMENTED" || !last.has(review.author)) last.set(review.author, review);
  }
  return [...last.values()];
}

export function reviewersBox(_visit: RepositoryVisit, issue: PullIssue): Html {
  const marks = {
    APPROVED: icon("check", "good"),
    CHANGES_REQUESTED: icon("cross", "bad"),
    COMMENTED: icon("comment"),
    DISMISSED: icon("skip"),
  };
  const rows = [
    ...lastReviews(issue).map(
      (review) =>
        html`<li>${avatar(review.author)} ${person(review.author)}<span class="push"></span>${marks[review.state]}</li>`,
    ),
    ...issue.pull.requestedReviewers.map(
      (login) =>
        html`<li>${avatar(login)} ${person(login)}<span class="push"></span>${icon("dot", "busy")}</li>`,
    ),
  ];
  return html`<section class="side"><h3>Reviewers</h3>${rows.length === 0 ? html`<p class="muted">No reviews yet</p>` : html`<ul class="plain">${rows}</ul>`}</section>`;
}

export function reviewForm(visit: RepositoryVisit, issue: PullIssue): Html | null {
  if (issue.state === "closed" || !may(visit, "review")) return null;
  const own = issue.author === visit.viewer;
  const choice = (value: string, word: string, hint: string, off: boolean, on: boolean): Html =>
    html`<label><input type="radio" name="state" value="${value}"${on && html` checked`}${off && html` disabled`}> <strong>${word}</strong><small>${off ? "Authors can't do this with their own pull request." : hint}</small></label>`;
  return html`<details class="menu review" id="review-menu"><summary class="button primary">Review changes</summary><form method="post" action="${visit.home}/pull/${issue.number}/review" class="popover wide-form">
<input type="hidden" name="commit" value="${issue.pull.headSha}">${textBox({ name: "body", id: "review-body", label: "Review", placeholder: "What should the author know?" })}
<fieldset class="choices"><legend class="unseen">Verdict</legend>${choice("COMMENTED", "Comment", "General feedback without a verdict.", false, true)}${choice("APPROVED", "Approve", "These changes may be merged.", own, false)}${choice("CHANGES_REQUESTED", "Request changes", "Something must change first.", own, false)}</fieldset>
<footer><button class="primary">Submit review</button></footer></form></details>`;
}
