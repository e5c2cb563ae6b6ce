import { notFound } from "../../model/refusal.ts";
import { html } from "../html.ts";
import { checkRows } from "../parts/check-rows.ts";
import { commitRows, sha } from "../parts/commit-rows.ts";
import { diff, diffSummary } from "../parts/diff.ts";
import { icon } from "../parts/icons.ts";
import { moment } from "../parts/moment.ts";
import { titleText } from "../parts/text.ts";
import { checksOf } from "../pulls/read-checks.ts";
import { type Answer, page, type RepositoryVisit } from "../visit.ts";
import { findPlace } from "./code-page.ts";
import { readCommitChanges } from "./read-git.ts";

export async function commitsPage(visit: RepositoryVisit, refAndPath: string): Promise<Answer> {
  const place = await findPlace(visit, refAndPath === "" ? visit.repository.defaultBranch : refAndPath);
  if (place === null) throw notFound();
  const range = { to: place.commit, limit: 100, ...(place.path !== "" && { path: place.path }) };
  const commits = await visit.world.git.commits(visit.repository.gitDir, range);
  return page(
    `Commits · ${visit.repository.name}`,
    html`<h2>Commits on <code>${place.ref}</code></h2>${commitRows(visit, commits)}`,
  );
}

export async function commitPage(visit: RepositoryVisit, revision: string): Promise<Answer> {
  const { world, repository, home } = visit;
  const full = await world.git.resolve(repository.gitDir, revision);
  const commit = full === null ? null : await world.git.commit(repository.gitDir, full);
  if (commit === null) throw notFound();
  const [subject = "", ...rest] = commit.message.split("\n");
  const more = rest.join("\n").trim();
  const files = await readCommitChanges(world, repository.gitDir, commit);
  const checks = checksOf(repository, commit.sha);
  const body = html`<section class="box commit-card"><div class="grow"><h2>${titleText(subject)}</h2>${more !== "" && html`<pre class="plain-text">${more}</pre>`}<p class="muted"><strong>${commit.author.name}</strong> committed ${moment(commit.committer.at)} · ${commit.parents.length === 0 ? "no parent" : html`${commit.parents.length === 1 ? "parent" : "parents"} ${commit.parents.map((parent) => html`${sha(visit, parent)} `)}`} · commit <code>${commit.sha}</code></p></div><a class="button" href="${home}/tree/${commit.sha}">${icon("code")} Browse files</a></section>
${checks.length > 0 && html`<div class="box rows">${checkRows(visit, checks)}</div>`}<div class="bar">${diffSummary(files)}</div>${diff(files)}`;
  return page(`${subject} · ${commit.sha.slice(0, 7)}`, body);
}
