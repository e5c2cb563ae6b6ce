import { fullName, isPull } from "../model/find.ts";
import { roleOf } from "../model/people/role.ts";
import type { Login, Repository } from "../model/types.ts";
import type { Guide, GuideStep } from "../model/world.ts";
import { type Html, html } from "./html.ts";
import { blank } from "./parts/form-parts.ts";
import { icon } from "./parts/icons.ts";
import { count, moment } from "./parts/moment.ts";
import { avatar } from "./parts/people.ts";
import { type Answer, page, type Visit } from "./visit.ts";

export function homePage(visit: Visit): Answer {
  const rows = visible(visit).map(repositoryRow);
  const list =
    rows.length === 0
      ? blank("No repositories", "This account can't see any. View as somebody else at the top right.")
      : rows;
  const { guide } = visit.world;
  return page(
    "Playground",
    html`${guide !== null && guideBox(guide)}<h2>Repositories</h2><div class="box rows">${list}</div>`,
  );
}

function guideBox({ title, steps }: Guide): Html {
  return html`<section class="box guide"><h2>${title}</h2><ol>${steps.map((step) => html`<li>${stepText(step)}</li>`)}</ol></section>`;
}

function stepText(step: GuideStep): Html {
  return step.kind === "open"
    ? html`Open <a href="${step.path}">${step.name}</a>`
    : html`${step.where}: <code>${step.text}</code>`;
}

export function userPage(visit: Visit, login: Login): Answer {
  const user = visit.world.github.users.get(login);
  const rows = visible(visit)
    .filter((repository) => repository.owner === login)
    .map(repositoryRow);
  const list =
    rows.length === 0
      ? blank("No repositories", `${login} owns no repositories that this account can see.`)
      : rows;
  return page(
    login,
    html`<div class="check-head">${avatar(login, "big")}<div><h2>${user?.name}</h2><p class="muted">${login}${user?.type === "Bot" && " · bot"}</p></div></div><div class="box rows">${list}</div>`,
  );
}

function visible({ world, viewer }: Visit): Repository[] {
  return world.github.repositories.filter((repository) => roleOf(world, repository, viewer) !== "none");
}

function repositoryRow(repository: Repository): Html {
  const open = [...repository.issues.values()].filter((issue) => issue.state === "open");
  const pulls = open.filter(isPull).length;
  const home = `/${fullName(repository)}`;
  return html`<div class="row">${icon("code")}<div class="grow"><a class="row-title" href="${home}">${fullName(repository)}</a> <span class="badge">${repository.private ? "Private" : "Public"}</span><p class="muted">${repository.description && `${repository.description} · `}Pushed ${moment(repository.pushedAt)}</p></div><a class="muted" href="${home}/issues">${icon("issue")} ${count(open.length - pulls, "issue")}</a><a class="muted" href="${home}/pulls">${icon("pull")} ${count(pulls, "pull request")}</a></div>`;
}
