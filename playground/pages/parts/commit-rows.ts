import type { GitCommit } from "../../model/model-git.ts";
import { type Html, html } from "../html.ts";
import { checksOf, summarizeChecks } from "../pulls/read-checks.ts";
import type { RepositoryVisit } from "../visit.ts";
import { blank } from "./form-parts.ts";
import { icon } from "./icons.ts";
import { moment } from "./moment.ts";
import { titleText } from "./text.ts";

export function commitRows(visit: RepositoryVisit, commits: readonly GitCommit[]): Html {
  if (commits.length === 0) return blank("No commits yet", "Push one and it shows up here.");
  return html`<div class="box rows">${commits.map((commit) => {
    const [subject = "", ...rest] = commit.message.split("\n");
    const more = rest.join("\n").trim();
    return html`<div class="row"><div class="grow"><a class="row-title" href="${visit.home}/commit/${commit.sha}">${titleText(subject)}</a>${checkMark(visit, commit.sha)}${more !== "" && html`<details class="message" id="message-${commit.sha}"><summary>more</summary><pre>${more}</pre></details>`}<p class="muted">${commit.author.name} committed ${moment(commit.committer.at)}</p></div>${sha(visit, commit.sha)}</div>`;
  })}</div>`;
}

export function sha(visit: RepositoryVisit, commit: string): Html {
  return html`<a class="sha" href="${visit.home}/commit/${commit}"><code>${commit.slice(0, 7)}</code></a>`;
}

export function checkMark(visit: RepositoryVisit, commit: string): Html | null {
  const checks = checksOf(visit.repository, commit);
  if (checks.length === 0) return null;
  const { tone, words } = summarizeChecks(checks);
  const shape = { good: "check", bad: "cross", busy: "dot", quiet: "dot" } as const;
  return html` <span title="${words}">${icon(shape[tone], tone)}</span>`;
}
