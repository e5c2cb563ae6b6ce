import type { Issue, Repository } from "../../model/types.ts";
import { type Html, html } from "../html.ts";
import { may } from "../may.ts";
import type { RepositoryVisit } from "../visit.ts";
import { icon } from "./icons.ts";

export function label(repository: Repository, name: string): Html {
  const known = repository.labels.get(name);
  const tone = known === undefined ? "" : ` color-${known.color.toLowerCase()}`;
  return html`<span class="label${tone}" title="${known?.description ?? ""}">${name}</span>`;
}

export function labels(repository: Repository, names: readonly string[]): Html[] {
  return names.map((name) => html` ${label(repository, name)}`);
}

/** Style attributes are forbidden by our own policy, so the colours in use come as a stylesheet made to measure. */
export function labelColors(repository: Repository): Html {
  const colors = new Set([...repository.labels.values()].map(({ color }) => color.toLowerCase()));
  return html`<link rel="stylesheet" href="/assets/label-colors.css?c=${[...colors].sort().join(",")}">`;
}

export function labelColorRules(list: string): string {
  return list
    .split(",")
    .filter((color) => /^[0-9a-f]{6}$/.test(color))
    .map((color) => `.color-${color}{--label:#${color}}`)
    .join("\n");
}

export function labelPicker(visit: RepositoryVisit, issue: Issue): Html {
  const { repository, home } = visit;
  const chosen =
    issue.labels.length === 0
      ? html`<p class="muted">None yet</p>`
      : html`<p class="label-list">${labels(repository, issue.labels)}</p>`;
  if (!may(visit, "label")) return html`<section class="side"><h3>Labels</h3>${chosen}</section>`;
  const choices = [...repository.labels].map(([name, { description }]) => {
    const on = issue.labels.includes(name);
    return html`<li><button name="${on ? "remove" : "add"}" value="${name}" aria-pressed="${on ? "true" : "false"}"><span class="tick">${on && icon("check")}</span>${label(repository, name)}<small>${description}</small></button></li>`;
  });
  return html`<section class="side">
<details class="menu" id="label-menu"><summary><h3>Labels</h3>${icon("label")}</summary>
<form method="post" action="${home}/issues/${issue.number}/labels" class="popover" data-keep-open><ul>${choices}</ul></form></details>
${chosen}</section>`;
}
