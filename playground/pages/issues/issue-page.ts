import type { Issue } from "../../model/types.ts";
import { html } from "../html.ts";
import { icon } from "../parts/icons.ts";
import { labelPicker } from "../parts/labels.ts";
import { count, moment } from "../parts/moment.ts";
import { avatar, person } from "../parts/people.ts";
import { issueLook, stateBadge } from "../parts/state.ts";
import { titleText } from "../parts/text.ts";
import { commentForm, happening, openingCard } from "../parts/thread.ts";
import { timeline } from "../parts/timeline.ts";
import { type Answer, page, type RepositoryVisit } from "../visit.ts";

export function issuePage(visit: RepositoryVisit, issue: Issue): Answer {
  const look = issueLook(issue);
  const people = [...new Set([issue.author, ...issue.comments.map((comment) => comment.author)])];
  const body = html`<div class="title"><h2>${titleText(issue.title)} <span class="number">#${issue.number}</span></h2><p>${stateBadge(issue)} <span class="muted">${person(issue.author)} opened this issue ${moment(issue.createdAt)} · ${count(issue.comments.length, "comment")}</span></p></div>
<div class="columns"><div class="thread">${openingCard(visit, issue)}${timeline(visit, issue)}${
    issue.closedAt !== null &&
    happening(
      html`<span class="disc ${look.tone}">${icon(look.icon)}</span>`,
      html`${person(issue.closedBy ?? issue.author)} closed this${issue.stateReason === "not_planned" ? " as not planned" : ""} ${moment(issue.closedAt)}`,
    )
  }${commentForm(visit, issue)}</div>
<aside>${labelPicker(visit, issue)}<section class="side"><h3>Participants</h3><p class="people">${people.map((login) => html`<a href="/${encodeURIComponent(login)}" title="${login}">${avatar(login)}</a>`)}</p></section></aside></div>`;
  return page(`${issue.title} · Issue #${issue.number}`, body);
}
