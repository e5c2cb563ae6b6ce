import type { Issue } from "../../model/types.ts";
import { type Html, html } from "../html.ts";
import { checksOf } from "../pulls/read-checks.ts";
import type { RepositoryVisit } from "../visit.ts";
import { blank } from "./form-parts.ts";
import { icon } from "./icons.ts";
import { labels } from "./labels.ts";
import { moment } from "./moment.ts";
import { person } from "./people.ts";
import { checkIcon, issueLook } from "./state.ts";
import { titleText } from "./text.ts";

/** The list of issues or of pull requests with its open and closed sides, a search box and a label filter. */
export function issueRows(visit: RepositoryVisit, all: readonly Issue[], at: "issues" | "pulls"): Html {
  const { url, home } = visit;
  const words = (url.searchParams.get("q") ?? "").trim();
  const tag = url.searchParams.get("label") ?? "";
  const closed = url.searchParams.get("state") === "closed";
  const matching = all.filter((issue) => matches(issue, words) && (tag === "" || issue.labels.includes(tag)));
  const open = matching.filter((issue) => issue.state === "open");
  const done = matching.filter((issue) => issue.state === "closed");
  const side = (name: string, word: string, amount: number, current: boolean): Html => {
    const query = new URLSearchParams({
      state: name,
      ...(words !== "" && { q: words }),
      ...(tag !== "" && { label: tag }),
    });
    return html`<a href="${home}/${at}?${query.toString()}"${current && html` aria-current="true"`}>${amount} ${word}</a>`;
  };
  const shown = (closed ? done : open).toSorted((a, b) => b.number - a.number);
  return html`<div class="bar"><form method="get" action="${home}/${at}" role="search" class="search"><input type="hidden" name="state" value="${closed ? "closed" : "open"}"><input type="search" name="q" value="${words}" placeholder="Search titles and numbers" aria-label="Search"><button>Search</button></form>
<span class="push"></span><a class="button" href="${home}/labels">${icon("label")} Labels</a>${at === "issues" && html`<a class="button primary" href="${home}/issues/new">New issue</a>`}</div>
${tag !== "" && html`<p class="muted">With the label ${labels(visit.repository, [tag])} · <a href="${home}/${at}">clear</a></p>`}
<div class="box rows"><div class="box-head">${side("open", "Open", open.length, !closed)}${side("closed", "Closed", done.length, closed)}</div>
${shown.length === 0 ? blank(words === "" && tag === "" ? "Nothing here yet" : "Nothing matches", hint(at, closed)) : shown.map((issue) => row(visit, issue))}</div>`;
}

function row(visit: RepositoryVisit, issue: Issue): Html {
  const look = issueLook(issue);
  const address = `${visit.home}/${issue.pull === null ? "issues" : "pull"}/${issue.number}`;
  const checks = issue.pull === null ? [] : checksOf(visit.repository, issue.pull.headSha);
  const worst =
    checks.find(
      (run) => run.status === "completed" && ["failure", "timed_out"].includes(run.conclusion ?? ""),
    ) ??
    checks.find((run) => run.status !== "completed") ??
    checks.find((run) => run.conclusion === "action_required") ??
    checks[0];
  return html`<div class="row" id="row-${issue.number}"><span title="${look.word}">${icon(look.icon, look.tone)}</span><div class="grow"><a class="row-title" href="${address}">${titleText(issue.title)}</a>${worst !== undefined && html` ${checkIcon(worst)}`}${issue.labels.map(
    (name) =>
      html` <a href="${visit.home}/${issue.pull === null ? "issues" : "pulls"}?label=${encodeURIComponent(name)}">${labels(visit.repository, [name])}</a>`,
  )}<p class="muted">#${issue.number} opened ${moment(issue.createdAt)} by ${person(issue.author)}${issue.pull !== null && html` · <code>${issue.pull.headRef}</code> into <code>${issue.pull.baseRef}</code>`}</p></div>${issue.comments.length > 0 && html`<a class="muted comments" href="${address}" aria-label="${issue.comments.length} comments">${icon("comment")} ${issue.comments.length}</a>`}</div>`;
}

function matches(issue: Issue, words: string): boolean {
  if (words === "") return true;
  if (/^#?\d+$/.test(words)) return issue.number === Number(words.replace("#", ""));
  const title = issue.title.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => title.includes(word));
}

function hint(at: "issues" | "pulls", closed: boolean): string {
  if (closed) return "Closed and merged ones show up here.";
  return at === "issues"
    ? "Issues say what should change. Open one, then comment on it."
    : "Push a branch and open a pull request through the API; Loom does that for each stage.";
}
