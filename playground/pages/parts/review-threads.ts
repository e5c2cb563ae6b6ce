import type { PullIssue } from "../../model/find.ts";
import type { LineComment, Review, ReviewThread } from "../../model/types.ts";
import { type Html, html } from "../html.ts";
import { may } from "../may.ts";
import type { RepositoryVisit } from "../visit.ts";
import { patchRows } from "./diff.ts";
import { icon } from "./icons.ts";
import { moment } from "./moment.ts";
import { avatar, person } from "./people.ts";
import { text } from "./text.ts";

/** So much of a hunk stands above a comment. */
const SHOWN = 4;

/** The conversations that a review began, each below the lines that it is about. */
export function reviewThreads(visit: RepositoryVisit, issue: PullIssue, review: Review): Html[] {
  return issue.pull.threads
    .filter(({ comments }) => comments[0]?.review === review.id)
    .map((thread) => conversation(visit, issue, thread));
}

function conversation(visit: RepositoryVisit, issue: PullIssue, thread: ReviewThread): Html {
  const resolved = thread.resolvedBy !== null;
  return html`<details class="box conversation" id="thread-${thread.id}"${!resolved && html` open`}><summary>${icon("file")}<code>${thread.path}</code><span class="muted">${lines(thread)}</span><span class="push"></span>${thread.place === null && html`<span class="badge">Outdated</span>`}${resolved && html`<span class="badge">Resolved</span>`}</summary>
<div class="scroll"><table class="lines"><tbody>${patchRows(hunkEnd(thread.hunk))}</tbody></table></div>
${thread.comments.map((comment) => remark(visit, comment))}${settle(visit, issue, thread)}</details>`;
}

function remark(visit: RepositoryVisit, comment: LineComment): Html {
  return html`<article class="remark" id="discussion_r${comment.id}"><header>${avatar(comment.author)} ${person(comment.author)} <span class="muted">${moment(comment.createdAt)}${comment.updatedAt > comment.createdAt && html` · edited`}</span></header>${text(visit, comment.body)}</article>`;
}

function settle(visit: RepositoryVisit, issue: PullIssue, thread: ReviewThread): Html | null {
  if (issue.author !== visit.viewer && !may(visit, "merge")) return null;
  const resolved = thread.resolvedBy !== null;
  return html`<form method="post" action="${visit.home}/pull/${issue.number}/threads/${thread.id}" class="settle"><button name="do" value="${resolved ? "open" : "resolve"}">${resolved ? "Unresolve conversation" : "Resolve conversation"}</button>${thread.resolvedBy !== null && html`<span class="muted">${person(thread.resolvedBy)} resolved this.</span>`}</form>`;
}

function lines({ original, place }: ReviewThread): string {
  const { line, startLine, side } = place ?? original;
  const where = side === "LEFT" ? " before the change" : "";
  return startLine === null ? `Line ${line}${where}` : `Lines ${startLine} to ${line}${where}`;
}

/** The last lines of a hunk, with a header whose numbers fit them. */
function hunkEnd(hunk: string): string[] {
  const [header = "", ...all] = hunk.split("\n");
  const left = all.slice(0, Math.max(0, all.length - SHOWN));
  const [, before = "0", after = "0"] = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(header) ?? [];
  const skipped = (sign: string) => left.filter((line) => !line.startsWith(sign)).length;
  const start = `@@ -${Number(before) + skipped("+")} +${Number(after) + skipped("-")} @@`;
  return [start, ...all.slice(-SHOWN)];
}
