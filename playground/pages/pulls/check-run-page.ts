import type { CheckRun } from "../../model/types.ts";
import { encodePath } from "../code/encode-path.ts";
import { type Html, html } from "../html.ts";
import { may } from "../may.ts";
import { sha } from "../parts/commit-rows.ts";
import { blank } from "../parts/form-parts.ts";
import { icon } from "../parts/icons.ts";
import { count, duration, moment } from "../parts/moment.ts";
import { checkIcon, checkLook } from "../parts/state.ts";
import { text } from "../parts/text.ts";
import { type Answer, page, type RepositoryVisit } from "../visit.ts";
import { checksOf } from "./read-checks.ts";

export function checkRunPage(visit: RepositoryVisit, run: CheckRun): Answer {
  const look = checkLook(run);
  const app = visit.world.github.apps.find(({ id }) => id === run.app);
  const pulls = [...visit.repository.issues.values()].filter((issue) => issue.pull?.headSha === run.headSha);
  const took =
    run.completedAt === null
      ? html`started ${moment(run.startedAt)}`
      : html`finished ${moment(run.completedAt)} in ${duration(run.startedAt, run.completedAt)}`;
  const asked = visit.url.searchParams.get("asked");
  const flash =
    asked !== null &&
    html`<div class="flash good" role="status">${icon("check")} <p>${app?.name} was asked to ${asked === "rerun" ? "run this again" : `do "${asked}"`}.</p></div>`;
  const body = html`${flash}${pulls.map((issue) => html`<p class="crumb"><a href="${visit.home}/pull/${issue.number}/checks">← #${issue.number} ${issue.title}</a></p>`)}
<div class="columns left"><nav class="box rows checks-nav" aria-label="Checks of this commit">${checksOf(
    visit.repository,
    run.headSha,
  ).map(
    (other) =>
      html`<a class="row" href="${visit.home}/runs/${other.id}"${other.id === run.id && html` aria-current="page"`}>${checkIcon(other)}<span>${other.name}</span></a>`,
  )}</nav>
<div><div class="check-head"><span class="disc large ${look.tone}">${icon(look.icon)}</span><div class="grow"><h2>${run.name}</h2><p class="muted">${look.word} · ${app?.name} · ${took} · ${sha(visit, run.headSha)}</p></div>${buttons(visit, run)}</div>
${output(visit, run)}</div></div>`;
  return page(`${run.name} · ${visit.repository.name}`, body);
}

/** GitHub shows an App's own buttons only when the run is complete. */
function buttons(visit: RepositoryVisit, run: CheckRun): Html | null {
  if (run.status !== "completed") return null;
  if (!may(visit, "runChecks")) {
    return run.actions.length === 0
      ? null
      : html`<p class="muted">People with write access see buttons here.</p>`;
  }
  const actions = run.actions.map(
    (action) =>
      html`<button name="identifier" value="${action.identifier}" title="${action.description}">${action.label}</button>`,
  );
  return html`<div class="check-buttons">${actions.length > 0 && html`<form method="post" action="${visit.home}/runs/${run.id}/action">${actions}</form>`}<form method="post" action="${visit.home}/runs/${run.id}/rerun"><button>${icon("again")} Re-run</button></form></div>`;
}

function output(visit: RepositoryVisit, run: CheckRun): Html {
  if (run.title === null && run.summary === null && run.text === null && run.annotations.length === 0) {
    return blank("No output yet", "The App reports its progress here.");
  }
  return html`<section class="box check-output">${run.title !== null && html`<h3>${run.title}</h3>`}${run.summary !== null && text(visit, run.summary)}${run.text !== null && html`<hr>${text(visit, run.text)}`}</section>${annotations(visit, run)}`;
}

function annotations(visit: RepositoryVisit, run: CheckRun): Html | null {
  if (run.annotations.length === 0) return null;
  const cards = run.annotations.map((annotation) => {
    const level = field(annotation, "annotation_level");
    const [tone, mark] =
      level === "failure"
        ? (["bad", "cross"] as const)
        : level === "warning"
          ? (["busy", "alert"] as const)
          : (["quiet", "comment"] as const);
    const path = field(annotation, "path");
    const [first, last] = [field(annotation, "start_line"), field(annotation, "end_line")];
    const lines = first === last || last === "" ? first : `${first}-${last}`;
    return html`<article class="box annotation ${tone}"><header>${icon(mark, tone)}<a href="${visit.home}/blob/${run.headSha}/${encodePath(path)}#L${first}"><code>${path}:${lines}</code></a><span class="push"></span><span class="badge">${level}</span></header><div class="padded">${field(annotation, "title") !== "" && html`<strong>${field(annotation, "title")}</strong>`}<pre class="plain-text">${field(annotation, "message")}</pre>${field(annotation, "raw_details") !== "" && html`<details><summary>Details</summary><pre>${field(annotation, "raw_details")}</pre></details>`}</div></article>`;
  });
  return html`<h3>${count(run.annotations.length, "annotation")}</h3>${cards}`;
}

/** Annotations are kept as they were sent. */
function field(annotation: unknown, name: string): string {
  if (typeof annotation !== "object" || annotation === null) return "";
  const value = (annotation as Record<string, unknown>)[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
