import { headRepository, type PullIssue } from "../../model/find.ts";
import type { Review } from "../../model/types.ts";
import { type PullChanges, readPullChanges } from "../code/read-git.ts";
import { type Html, html } from "../html.ts";
import { checkRows } from "../parts/check-rows.ts";
import { commitRows, sha } from "../parts/commit-rows.ts";
import { diff, diffSummary } from "../parts/diff.ts";
import { blank } from "../parts/form-parts.ts";
import { type IconName, icon } from "../parts/icons.ts";
import { labelPicker } from "../parts/labels.ts";
import { mergeBox } from "../parts/merge-box.ts";
import { moment } from "../parts/moment.ts";
import { avatar, person } from "../parts/people.ts";
import { type PullTab, pullHead } from "../parts/pull-head.ts";
import { reviewThreads } from "../parts/review-threads.ts";
import { reviewersBox, reviewForm } from "../parts/reviews.ts";
import { text, titleText } from "../parts/text.ts";
import { card, commentForm, happening, openingCard } from "../parts/thread.ts";
import { timeline } from "../parts/timeline.ts";
import { type Answer, page, type RepositoryVisit } from "../visit.ts";
import { checksOf, summarizeChecks } from "./read-checks.ts";

export async function pullPage(visit: RepositoryVisit, issue: PullIssue, tab: PullTab): Promise<Answer> {
  const changes = await readPullChanges(visit.world, visit.repository, issue);
  const inside = {
    conversation: () => conversation(visit, issue, changes),
    commits: () => commitRows(visit, changes.commits),
    checks: () => checks(visit, issue),
    files: () =>
      html`<div class="bar">${diffSummary(changes.files)}<span class="push"></span>${reviewForm(visit, issue)}</div>${diff(changes.files)}`,
  };
  const body = html`${pullHead(visit, issue, changes, tab)}${await inside[tab]()}`;
  return page(`${issue.title} · Pull request #${issue.number}`, body);
}

function checks(visit: RepositoryVisit, issue: PullIssue): Html {
  const runs = checksOf(visit.repository, issue.pull.headSha);
  const required = visit.repository.protection.get(issue.pull.baseRef)?.requiredChecks ?? [];
  if (runs.length === 0 && required.length === 0) {
    return blank("No checks yet", "Apps report checks here for the newest commit of this pull request.");
  }
  const { tone, words } = summarizeChecks(runs);
  return html`<div class="box rows"><div class="box-head ${tone}"><strong>${words}</strong><span class="push"></span>${sha(visit, issue.pull.headSha)}</div>${checkRows(visit, runs, required)}</div>`;
}

async function conversation(visit: RepositoryVisit, issue: PullIssue, changes: PullChanges): Promise<Html> {
  const more = [
    ...issue.pull.reviews.map((review) => ({
      at: review.submittedAt,
      show: reviewCard(visit, issue, review),
    })),
    ...changes.commits.map((commit) => ({
      at: Math.max(commit.committer.at, issue.createdAt),
      show: happening(
        html`<span class="disc quiet">${icon("commit")}</span>`,
        html`<a href="${visit.home}/commit/${commit.sha}">${titleText(commit.message.split("\n")[0] ?? "")}</a> ${sha(visit, commit.sha)}`,
      ),
    })),
  ];
  const from = headRepository(visit.world, issue);
  const branchThere =
    from === visit.repository && (await visit.world.git.tip(from.gitDir, issue.pull.headRef)) !== null;
  const people = [...new Set([issue.author, ...issue.comments.map((comment) => comment.author)])];
  return html`<div class="columns"><div class="thread">${openingCard(visit, issue)}${timeline(visit, issue, more)}${ending(visit, issue)}
${await mergeBox(visit, issue, branchThere)}${commentForm(visit, issue)}</div>
<aside>${reviewersBox(visit, issue)}${labelPicker(visit, issue)}${stackBox(visit, issue)}<section class="side"><h3>Participants</h3><p class="people">${people.map((login) => html`<a href="/${encodeURIComponent(login)}" title="${login}">${avatar(login)}</a>`)}</p></section></aside></div>`;
}

function ending(visit: RepositoryVisit, issue: PullIssue): Html | null {
  const { pull } = issue;
  if (pull.merged) {
    return happening(
      html`<span class="disc merged">${icon("merge")}</span>`,
      html`${person(pull.mergedBy ?? issue.author)} merged ${pull.mergeCommitSha !== null && html`commit ${sha(visit, pull.mergeCommitSha)}`} into <code>${pull.baseRef}</code> ${pull.mergedAt !== null && moment(pull.mergedAt)}`,
    );
  }
  if (issue.closedAt === null) return null;
  return happening(
    html`<span class="disc bad">${icon("pullClosed")}</span>`,
    html`${person(issue.closedBy ?? issue.author)} closed this ${moment(issue.closedAt)}`,
  );
}

const REVIEWS: Readonly<Record<Review["state"], { icon: IconName; tone: string; said: string }>> = {
  APPROVED: { icon: "check", tone: "good", said: "approved these changes" },
  CHANGES_REQUESTED: { icon: "cross", tone: "bad", said: "requested changes" },
  COMMENTED: { icon: "eye", tone: "quiet", said: "reviewed" },
  DISMISSED: { icon: "skip", tone: "quiet", said: "reviewed; the review was dismissed" },
};

/** GitHub makes a review of each answer on a line; it is shown in its conversation and nowhere else. */
function reviewCard(visit: RepositoryVisit, issue: PullIssue, review: Review): Html | null {
  const threads = reviewThreads(visit, issue, review);
  const isAnswer = issue.pull.threads.some((thread) =>
    thread.comments.some((comment) => comment.review === review.id),
  );
  const isSilent = review.body.trim() === "";
  if (isSilent && isAnswer && threads.length === 0) return null;
  const { icon: mark, tone, said } = REVIEWS[review.state];
  const line = happening(
    html`<span class="disc ${tone}">${icon(mark)}</span>`,
    html`${person(review.author)} ${said} ${moment(review.submittedAt)} at ${sha(visit, review.commit)}`,
  );
  if (isSilent) return html`${line}${threads}`;
  return html`${line}${card(visit, { id: `review-${review.id}`, author: review.author, said: html`left a review`, body: text(visit, review.body) })}${threads}`;
}

function stackBox(visit: RepositoryVisit, issue: PullIssue): Html | null {
  const stack = visit.repository.stacks.find(({ pulls }) => pulls.includes(issue.number));
  if (stack === undefined) return null;
  return html`<section class="side"><h3>Stack</h3><ol class="stack" reversed>${stack.pulls
    .toReversed()
    .map(
      (number) =>
        html`<li><a href="${visit.home}/pull/${number}"${number === issue.number && html` aria-current="true"`}>#${number} ${visit.repository.issues.get(number)?.title}</a></li>`,
    )}</ol><p class="muted">on <code>${stack.base}</code></p></section>`;
}
