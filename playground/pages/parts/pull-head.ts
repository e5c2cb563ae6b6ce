import type { PullIssue } from "../../model/find.ts";
import { headRepository } from "../../model/find.ts";
import type { PullChanges } from "../code/read-git.ts";
import { type Html, html } from "../html.ts";
import { checksOf } from "../pulls/read-checks.ts";
import type { RepositoryVisit } from "../visit.ts";
import { type IconName, icon } from "./icons.ts";
import { count, moment } from "./moment.ts";
import { person } from "./people.ts";
import { stateBadge } from "./state.ts";
import { titleText } from "./text.ts";

export type PullTab = "conversation" | "commits" | "checks" | "files";

/** Title, state, branches and the four tabs that every page of a pull request starts with. */
export function pullHead(
  visit: RepositoryVisit,
  issue: PullIssue,
  changes: PullChanges,
  here: PullTab,
): Html {
  const { pull } = issue;
  const home = `${visit.home}/pull/${issue.number}`;
  const commits = count(changes.commits.length, "commit");
  const from = headRepository(visit.world, issue);
  const head = from === null || from === visit.repository ? pull.headRef : `${from.owner}:${pull.headRef}`;
  const branches = html`<code>${pull.baseRef}</code> from <code>${head}</code>`;
  const story = pull.merged
    ? html`${person(pull.mergedBy ?? issue.author)} merged ${commits} into ${branches}${pull.mergedAt !== null && html` ${moment(pull.mergedAt)}`}`
    : html`${person(issue.author)} wants to merge ${commits} into ${branches}`;
  const tab = (name: PullTab, mark: IconName, word: string, to: string, amount: number): Html =>
    html`<a href="${home}${to}"${name === here && html` aria-current="page"`}>${icon(mark)}${word}<span class="counter">${amount}</span></a>`;
  const plus = changes.files.reduce((sum, file) => sum + file.additions, 0);
  const minus = changes.files.reduce((sum, file) => sum + file.deletions, 0);
  return html`<div class="title"><h2>${titleText(issue.title)} <span class="number">#${issue.number}</span></h2><p>${stateBadge(issue)} <span class="muted">${story}</span></p></div>
<nav class="tabs pull-tabs" aria-label="Pull request">${tab("conversation", "comment", "Conversation", "", issue.comments.length + pull.reviews.length)}${tab("commits", "commit", "Commits", "/commits", changes.commits.length)}${tab("checks", "check", "Checks", "/checks", checksOf(visit.repository, pull.headSha).length)}${tab("files", "file", "Files changed", "/files", changes.files.length)}<span class="push"></span><span class="sizes"><span class="good">+${plus}</span> <span class="bad">−${minus}</span></span></nav>`;
}
