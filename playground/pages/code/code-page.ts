import type { GitEntry } from "../../model/model-git.ts";
import { notFound } from "../../model/refusal.ts";
import { type Html, html } from "../html.ts";
import { checkMark, sha } from "../parts/commit-rows.ts";
import { blank } from "../parts/form-parts.ts";
import { icon } from "../parts/icons.ts";
import { count, moment } from "../parts/moment.ts";
import { text, titleText } from "../parts/text.ts";
import { type Answer, page, type RepositoryVisit } from "../visit.ts";
import { encodePath } from "./encode-path.ts";

const MOST_LINES = 5000;

type Place = { readonly ref: string; readonly commit: string; readonly path: string };
type Folder = Extract<GitEntry, { kind: "folder" }>;

/** A folder or a file at a branch or commit; without both, the top of the default branch. */
export async function codePage(visit: RepositoryVisit, refAndPath: string): Promise<Answer> {
  const { world, repository } = visit;
  const place = await findPlace(visit, refAndPath === "" ? repository.defaultBranch : refAndPath);
  if (place === null) {
    if (refAndPath !== "") throw notFound();
    return page(
      repository.name,
      blank(
        "This repository is empty",
        html`Push a first commit to <code>${world.github.url}/${repository.owner}/${repository.name}.git</code>.`,
      ),
    );
  }
  const entry = await world.git.entry(repository.gitDir, place.commit, place.path);
  if (entry === null) throw notFound();
  const inside =
    entry.kind === "folder" ? await folder(visit, place, entry) : await file(visit, place, entry);
  const title =
    place.path === "" ? `${repository.owner}/${repository.name}` : `${place.path} · ${repository.name}`;
  return page(title, html`${await head(visit, place)}${inside}`);
}

/** Branch names contain slashes, so the longest beginning that names something is taken. */
export async function findPlace(visit: RepositoryVisit, refAndPath: string): Promise<Place | null> {
  const { world, repository } = visit;
  const parts = refAndPath.split("/").filter((part) => part !== "");
  for (let length = Math.min(parts.length, 8); length > 0; length--) {
    const ref = parts.slice(0, length).join("/");
    const commit =
      (await world.git.tip(repository.gitDir, ref)) ??
      (/^[0-9a-f]{7,40}$/.test(ref) ? await world.git.resolve(repository.gitDir, ref) : null);
    if (commit !== null) return { ref, commit, path: parts.slice(length).join("/") };
  }
  return null;
}

async function head(visit: RepositoryVisit, place: Place): Promise<Html> {
  const { world, repository, home } = visit;
  const branches = await world.git.refs(repository.gitDir, "refs/heads/");
  const range = { to: place.commit, limit: 1, ...(place.path !== "" && { path: place.path }) };
  const [last] = await world.git.commits(repository.gitDir, range);
  const parts = place.path === "" ? [] : place.path.split("/");
  const crumbs = parts.map((part, index) => {
    const path = encodePath(parts.slice(0, index + 1).join("/"));
    return html` / ${index === parts.length - 1 ? html`<strong>${part}</strong>` : html`<a href="${home}/tree/${encodePath(place.ref)}/${path}">${part}</a>`}`;
  });
  const choices = branches.map(({ ref }) => {
    const name = ref.replace("refs/heads/", "");
    return html`<li><a href="${home}/tree/${encodePath(name)}"${name === place.ref && html` aria-current="true"`}>${name}</a></li>`;
  });
  return html`<div class="bar"><details class="menu" id="branch-menu"><summary class="button">${icon("branch")} ${place.ref.length === 40 ? place.ref.slice(0, 7) : place.ref}</summary><div class="popover"><ul>${choices}</ul></div></details><a class="muted" href="${home}/branches">${count(branches.length, "branch", "branches")}</a><span class="path"><a href="${home}/tree/${encodePath(place.ref)}">${repository.name}</a>${crumbs}</span><span class="push"></span><a class="button" href="${home}/commits/${encodePath(place.ref)}">${icon("clock")} Commits</a></div>
${last !== undefined && html`<p class="last-commit box">${icon("commit")} <strong>${last.author.name}</strong> <a class="grow" href="${home}/commit/${last.sha}">${titleText(last.message.split("\n")[0] ?? "")}</a>${checkMark(visit, last.sha)} ${sha(visit, last.sha)} <span class="muted">${moment(last.committer.at)}</span></p>`}`;
}

async function folder(visit: RepositoryVisit, place: Place, entry: Folder): Promise<Html> {
  const at = `${visit.home}/%/${encodePath(place.ref)}`;
  const sorted = entry.entries.toSorted(
    (a, b) => Number(b.kind === "folder") - Number(a.kind === "folder") || a.name.localeCompare(b.name, "en"),
  );
  const up = place.path.split("/").slice(0, -1).join("/");
  const rows = sorted.map((item) => {
    const inFolder = item.kind === "folder";
    const address = `${at.replace("%", inFolder ? "tree" : "blob")}/${encodePath(item.path)}`;
    return html`<a class="row" href="${address}">${icon(inFolder ? "folder" : "file", inFolder ? "accent" : "")}<span class="grow">${item.name}${item.kind === "symlink" && html` <span class="badge">link</span>`}${item.kind === "submodule" && html` <span class="badge">submodule</span>`}</span></a>`;
  });
  const readme = entry.entries.find((item) => /^readme(?:\.md)?$/i.test(item.name) && item.kind === "file");
  const bytes = readme === undefined ? null : await visit.world.git.blob(visit.repository.gitDir, readme.sha);
  return html`<div class="box rows files">${place.path !== "" && html`<a class="row" href="${at.replace("%", "tree")}/${encodePath(up)}">${icon("folder", "accent")}<span>..</span></a>`}${rows}</div>
${readme !== undefined && bytes !== null && html`<section class="box readme"><div class="box-head"><strong>${readme.name}</strong></div>${fileText(visit, place, Buffer.from(bytes).toString("utf8"))}</section>`}`;
}

async function file(visit: RepositoryVisit, place: Place, entry: Exclude<GitEntry, Folder>): Promise<Html> {
  if (entry.kind === "submodule")
    return blank("A submodule", html`It points to the commit <code>${entry.sha}</code>.`);
  const bytes = await visit.world.git.blob(visit.repository.gitDir, entry.sha);
  if (bytes === null) throw notFound();
  const content = Buffer.from(bytes);
  const raw = `${visit.home}/raw/${encodePath(place.ref)}/${encodePath(place.path)}`;
  const asCode = visit.url.searchParams.get("plain") === "1";
  const isText = /\.(?:md|markdown)$/i.test(place.path);
  const top = html`<div class="box-head"><span class="muted">${entry.size} bytes</span><span class="push"></span>${isText && html`<a class="button" href="${visit.url.pathname}${asCode ? "" : "?plain=1"}">${asCode ? "Preview" : "Code"}</a>`}<a class="button" href="${raw}">Raw</a></div>`;
  if (/\.(?:png|jpe?g|gif|svg|webp)$/i.test(place.path)) {
    return html`<section class="box">${top}<p class="picture"><img src="${raw}" alt="${place.path}"></p></section>`;
  }
  if (content.includes(0))
    return html`<section class="box">${top}<p class="padded muted">Binary file not shown.</p></section>`;
  if (isText && !asCode)
    return html`<section class="box readme">${top}${fileText(visit, place, content.toString("utf8"))}</section>`;
  const lines = content.toString("utf8").replace(/\n$/, "").split("\n");
  const rows = lines
    .slice(0, MOST_LINES)
    .map(
      (line, index) => html`<tr id="L${index + 1}"><td data-line="${index + 1}"></td><td>${line}</td></tr>`,
    );
  return html`<section class="box">${top}<div class="scroll"><table class="lines plain-lines"><tbody>${rows}</tbody></table></div>${lines.length > MOST_LINES && html`<p class="padded muted">${lines.length - MOST_LINES} more lines: open the raw file.</p>`}</section>`;
}

function fileText(visit: RepositoryVisit, place: Place, markdown: string): Html {
  const folderPath = place.path.includes(".") ? place.path.split("/").slice(0, -1).join("/") : place.path;
  const relativeTo = `${visit.home}/blob/${encodePath(place.ref)}/${folderPath === "" ? "" : `${encodePath(folderPath)}/`}`;
  return text(visit, markdown.replace(/^---\n[\s\S]*?\n---\n/, ""), { breaks: false, relativeTo });
}
