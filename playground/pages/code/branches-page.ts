import { isPull } from "../../model/find.ts";
import { html } from "../html.ts";
import { may } from "../may.ts";
import { checkMark, sha } from "../parts/commit-rows.ts";
import { icon } from "../parts/icons.ts";
import { issueLook } from "../parts/state.ts";
import { type Answer, page, type RepositoryVisit } from "../visit.ts";
import { encodePath } from "./encode-path.ts";

export async function branchesPage(visit: RepositoryVisit): Promise<Answer> {
  const { world, repository, home } = visit;
  const refs = await world.git.refs(repository.gitDir, "refs/heads/");
  const pulls = [...repository.issues.values()].filter(isPull);
  const rows = refs.map(({ ref, sha: tip }) => {
    const name = ref.replace("refs/heads/", "");
    const pull = pulls.findLast(({ pull: one }) => one.headRef === name && one.headRepo === repository.id);
    const look = pull && issueLook(pull);
    const main = name === repository.defaultBranch;
    const canDelete = !main && !repository.protection.has(name) && may(visit, "deleteBranch");
    return html`<div class="row check" id="branch-${name}">${icon("branch")}<span class="grow"><a href="${home}/tree/${encodePath(name)}"><code>${name}</code></a>${main && html` <span class="badge">Default</span>`}${repository.protection.has(name) && html` <span class="badge">Protected</span>`}${checkMark(visit, tip)}</span>${pull && look && html`<a href="${home}/pull/${pull.number}">${icon(look.icon, look.tone)} #${pull.number}</a>`}${sha(visit, tip)}${canDelete && html`<form method="post" action="${home}/branches/delete"><input type="hidden" name="branch" value="${name}"><button class="small" title="${`Delete ${name}`}" aria-label="${`Delete ${name}`}">${icon("trash")}</button></form>`}</div>`;
  });
  return page(`Branches · ${repository.name}`, html`<h2>Branches</h2><div class="box rows">${rows}</div>`);
}
