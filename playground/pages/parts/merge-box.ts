import type { PullIssue } from "../../model/find.ts";
import { askMergeable } from "../../model/pulls/ask-mergeable.ts";
import { settleAsyncMerges } from "../../model/pulls/async-merge.ts";
import { mergeProblem } from "../../model/pulls/merge-problem.ts";
import type { MergeMethod } from "../../model/types.ts";
import { type Html, html } from "../html.ts";
import { may } from "../may.ts";
import { checksOf, summarizeChecks } from "../pulls/read-checks.ts";
import type { RepositoryVisit } from "../visit.ts";
import { checkRows } from "./check-rows.ts";
import { type IconName, icon } from "./icons.ts";
import { lastReviews } from "./reviews.ts";

const METHODS: Readonly<Record<MergeMethod, string>> = {
  merge: "Create a merge commit",
  squash: "Squash and merge",
  rebase: "Rebase and merge",
};

/** All that stands between a pull request and its base, then the button. */
export async function mergeBox(
  visit: RepositoryVisit,
  issue: PullIssue,
  branchThere: boolean,
): Promise<Html> {
  const { pull } = issue;
  if (visit.repository.asyncMerges.some(({ status }) => status === "pending")) {
    await settleAsyncMerges(visit.world, visit.repository);
  }
  if (pull.merged || issue.state === "closed") return afterwards(visit, issue, branchThere);
  const mergeable = await askMergeable(visit.world, visit.repository, issue);
  const queue = visit.repository.protection.get(pull.baseRef)?.mergeQueue === true;
  const [method = "merge"] = visit.repository.mergeMethods;
  const problem = pull.draft
    ? null
    : await mergeProblem(visit.world, visit.repository, issue, { method, fromQueue: queue });
  const ready = mergeable === true && problem === null && !pull.draft;
  const tone = ready ? "good" : mergeable === false ? "bad" : "quiet";
  return html`<section class="merge-box ${tone}" id="merge-box" aria-label="Merge"><span class="disc large ${tone}">${icon("merge")}</span><div class="box">
${reviewLine(issue)}${checkLine(visit, issue)}${conflictLine(mergeable, pull.baseRef)}
${problem !== null && line("alert", "busy", html`<strong>Merging is blocked</strong>`, problem.message.replaceAll(/\s*\n+\s*/g, ". "))}
${asyncLine(visit, issue)}${pull.draft && draftLine(visit, issue)}
<div class="merge-foot">${pull.draft ? null : queue ? queueButton(visit, issue, ready) : mergeButton(visit, issue, ready)}</div></div></section>`;
}

function line(name: IconName, tone: string, title: Html, more: Html | string): Html {
  return html`<div class="merge-line"><span class="disc ${tone}">${icon(name)}</span><div class="grow">${title}<p class="muted">${more}</p></div></div>`;
}

function reviewLine(issue: PullIssue): Html | null {
  const reviews = lastReviews(issue);
  const against = reviews
    .filter((review) => review.state === "CHANGES_REQUESTED")
    .map((review) => review.author);
  if (against.length > 0) {
    return line(
      "cross",
      "bad",
      html`<strong>Changes requested</strong>`,
      `${against.join(", ")} asked for changes.`,
    );
  }
  const by = reviews.filter((review) => review.state === "APPROVED").map((review) => review.author);
  if (by.length === 0) return null;
  return line("check", "good", html`<strong>Changes approved</strong>`, `Approved by ${by.join(", ")}.`);
}

function checkLine(visit: RepositoryVisit, issue: PullIssue): Html | null {
  const runs = checksOf(visit.repository, issue.pull.headSha);
  const required = visit.repository.protection.get(issue.pull.baseRef)?.requiredChecks ?? [];
  if (runs.length === 0 && required.length === 0) return null;
  const { tone, words } = summarizeChecks(runs);
  const [head = words, more = ""] = words.split(": ");
  const shape = { good: "check", bad: "cross", busy: "ring", quiet: "clock" } as const;
  return html`<details class="merge-checks" id="merge-checks" open><summary class="merge-line"><span class="disc ${tone}">${icon(shape[tone])}</span><div class="grow"><strong>${head}</strong><p class="muted">${more}</p></div></summary><div class="rows">${checkRows(visit, runs, required)}</div></details>`;
}

function conflictLine(mergeable: boolean | null, base: string): Html {
  if (mergeable === null) {
    return line(
      "ring",
      "busy",
      html`<strong>Checking for the ability to merge…</strong>`,
      "This takes a moment.",
    );
  }
  if (!mergeable) {
    return line(
      "alert",
      "bad",
      html`<strong>This branch has conflicts that must be resolved</strong>`,
      html`Merge <code>${base}</code> into the branch, or rebase it, then push.`,
    );
  }
  return line(
    "check",
    "good",
    html`<strong>No conflicts with the base branch</strong>`,
    "Merging can be performed automatically.",
  );
}

function asyncLine(visit: RepositoryVisit, issue: PullIssue): Html | null {
  const last = visit.repository.asyncMerges.findLast((merge) => merge.pull === issue.number);
  if (last?.status === "pending")
    return line("ring", "busy", html`<strong>Merging…</strong>`, `Started by ${last.by}.`);
  if (last?.status !== "failed") return null;
  return line("cross", "bad", html`<strong>The last merge failed</strong>`, last.message ?? "Try again.");
}

function draftLine(visit: RepositoryVisit, issue: PullIssue): Html {
  const mine = issue.author === visit.viewer || may(visit, "merge");
  return html`<form method="post" action="${visit.home}/pull/${issue.number}/ready" class="merge-line"><span class="disc quiet">${icon("draft")}</span><div class="grow"><strong>This pull request is still a draft</strong><p class="muted">Drafts can't be merged.</p></div>${mine && html`<button>Ready for review</button>`}</form>`;
}

function mergeButton(visit: RepositoryVisit, issue: PullIssue, ready: boolean): Html {
  if (!may(visit, "merge")) return onlyWriters(visit);
  const methods = [...visit.repository.mergeMethods];
  return html`<form method="post" action="${visit.home}/pull/${issue.number}/merge"><input type="hidden" name="sha" value="${issue.pull.headSha}"><button class="${ready ? "primary" : ""}"${!ready && html` disabled`}>${icon("merge")} Merge pull request</button><label><span class="unseen">Merge method</span><select name="method">${methods.map((method) => html`<option value="${method}">${METHODS[method]}</option>`)}</select></label></form>`;
}

function queueButton(visit: RepositoryVisit, issue: PullIssue, ready: boolean): Html {
  const entries = visit.repository.mergeQueues.get(issue.pull.baseRef) ?? [];
  const place = entries.findIndex(({ pull }) => pull === issue.number);
  const action = `${visit.home}/pull/${issue.number}/queue`;
  if (place >= 0) {
    return html`<form method="post" action="${action}">${icon("queue", "busy")} <span class="grow"><strong>Queued to merge</strong> <span class="muted">Number ${place + 1} of ${entries.length} in the merge queue</span></span>${may(visit, "merge") && html`<button name="do" value="leave">Remove from queue</button>`}</form>`;
  }
  if (!may(visit, "merge")) return onlyWriters(visit);
  return html`<form method="post" action="${action}"><input type="hidden" name="sha" value="${issue.pull.headSha}"><button class="primary" name="do" value="join"${!ready && html` disabled`}>${icon("queue")} Merge when ready</button><span class="muted">This branch uses a merge queue.</span></form>`;
}

function onlyWriters(visit: RepositoryVisit): Html {
  return html`<p class="muted">Only people with write access can merge. You view this as <strong>${visit.viewer}</strong>.</p>`;
}

function afterwards(visit: RepositoryVisit, issue: PullIssue, branchThere: boolean): Html {
  const { pull } = issue;
  const [title, more] = pull.merged
    ? ["Pull request successfully merged and closed", `The branch ${pull.headRef} can be deleted.`]
    : ["Closed with unmerged commits", "This pull request is closed."];
  const gone = pull.merged ? `The branch ${pull.headRef} is gone.` : more;
  const canDelete =
    branchThere && may(visit, "deleteBranch") && pull.headRef !== visit.repository.defaultBranch;
  return html`<section class="merge-box ${pull.merged ? "merged" : "quiet"}" id="merge-box" aria-label="Merge"><span class="disc large ${pull.merged ? "merged" : "quiet"}">${icon("merge")}</span><div class="box"><form method="post" action="${visit.home}/pull/${issue.number}/delete-branch" class="merge-line"><div class="grow"><strong>${title}</strong><p class="muted">${branchThere ? more : gone}</p></div>${canDelete && html`<button>${icon("trash")} Delete branch</button>`}</form></div></section>`;
}
