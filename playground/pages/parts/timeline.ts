import type { Issue } from "../../model/types.ts";
import { type Html, html } from "../html.ts";
import { type TimelineEvent, timelineOf } from "../issues/watch-timeline.ts";
import type { RepositoryVisit } from "../visit.ts";
import { type IconName, icon } from "./icons.ts";
import { label } from "./labels.ts";
import { moment } from "./moment.ts";
import { avatar, person } from "./people.ts";
import { titleText } from "./text.ts";
import { commentCard, happening } from "./thread.ts";

export type Entry = { readonly at: number; readonly show: Html | null };

const MARKS: Readonly<Record<TimelineEvent["kind"], IconName>> = {
  labeled: "label",
  unlabeled: "label",
  renamed: "comment",
  retargeted: "branch",
  reopened: "issue",
  ready_for_review: "eye",
  converted_to_draft: "draft",
  enqueued: "queue",
  dequeued: "queue",
};

/** Comments and events of a thread with whatever else the page adds, oldest first. */
export function timeline(visit: RepositoryVisit, issue: Issue, more: readonly Entry[] = []): (Html | null)[] {
  const entries: Entry[] = [
    ...timelineOf(visit.world, issue).map((event) => ({ at: event.at, show: eventLine(visit, event) })),
    ...issue.comments.map((comment) => ({ at: comment.createdAt, show: commentCard(visit, issue, comment) })),
    ...more,
  ];
  return entries.sort((a, b) => a.at - b.at).map(({ show }) => show);
}

function eventLine(visit: RepositoryVisit, event: TimelineEvent): Html {
  return happening(
    html`<span class="disc quiet">${icon(MARKS[event.kind])}</span>`,
    html`${avatar(event.by)} ${person(event.by)} ${words(visit, event)} ${moment(event.at)}`,
  );
}

function words(visit: RepositoryVisit, event: TimelineEvent): Html {
  switch (event.kind) {
    case "labeled":
      return html`added the label ${label(visit.repository, event.label)}`;
    case "unlabeled":
      return html`removed the label ${label(visit.repository, event.label)}`;
    case "renamed":
      return html`changed the title from <del>${titleText(event.from)}</del> to <strong>${titleText(event.to)}</strong>`;
    case "retargeted":
      return html`changed the base from <code>${event.from}</code> to <code>${event.to}</code>`;
    case "reopened":
      return html`reopened this`;
    case "ready_for_review":
      return html`marked this as ready for review`;
    case "converted_to_draft":
      return html`turned this into a draft`;
    case "enqueued":
      return html`added this to the merge queue`;
    case "dequeued":
      return html`took this out of the merge queue`;
  }
}
