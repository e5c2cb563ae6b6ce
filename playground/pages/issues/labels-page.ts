import { html } from "../html.ts";
import { label } from "../parts/labels.ts";
import { count } from "../parts/moment.ts";
import { type Answer, page, type RepositoryVisit } from "../visit.ts";

export function labelsPage(visit: RepositoryVisit): Answer {
  const { repository, home } = visit;
  const issues = [...repository.issues.values()].filter((issue) => issue.state === "open");
  const rows = [...repository.labels].map(([name, { description }]) => {
    const uses = issues.filter((issue) => issue.labels.includes(name)).length;
    const issueQuery = `${home}/issues?label=${encodeURIComponent(name)}`;
    return html`<div class="row"><span class="label-cell"><a href="${issueQuery}">${label(repository, name)}</a></span><span class="grow muted">${description}</span><span class="muted">${count(uses, "open issue or pull request", "open issues and pull requests")}</span></div>`;
  });
  return page(`Labels · ${repository.name}`, html`<h2>Labels</h2><div class="box rows">${rows}</div>`);
}
