import { isPull } from "../../model/find.ts";
import { type Html, html } from "../html.ts";
import type { RepositoryVisit, Visit } from "../visit.ts";
import { type IconName, icon } from "./icons.ts";
import { labelColors } from "./labels.ts";
import { avatar, peopleWithRoles } from "./people.ts";

const CODE = /^$|^\/(?:tree|blob|commits?|branches)(?:\/|$)/;

/** The whole document. What may change by itself stands inside #live, which the script swaps. */
export function layout(visit: Visit | RepositoryVisit, title: string, body: Html): Html {
  const inRepository = "repository" in visit ? visit : null;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/playground.css">
<script src="/assets/playground.js" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top">
<a class="brand" href="/">${icon("loom")}<span>Playground</span></a>
<nav aria-label="Playground"><a href="/">Repositories</a><a href="/deliveries">Deliveries</a></nav>
${viewAs(visit)}
</header>
<div id="live" data-poll="${CODE.test(restOf(visit)) ? 6000 : 1500}">
${inRepository !== null && html`${labelColors(inRepository.repository)}${repositoryBar(inRepository)}`}
<main id="main">${body}</main>
</div>
</body>
</html>
`;
}

function viewAs(visit: Visit | RepositoryVisit): Html {
  const people = peopleWithRoles(visit);
  const mine = people.find(({ login }) => login === visit.viewer);
  const choices = people.map(
    ({ login, role }) =>
      html`<li><button name="login" value="${login}"${login === visit.viewer && html` aria-current="true"`}>${avatar(login)}<span>${login}</span><small>${role}</small></button></li>`,
  );
  return html`<details class="menu viewer" id="view-as"><summary title="View as somebody else">${icon("eye")}<span class="wide">View as</span> ${avatar(visit.viewer)}<strong>${visit.viewer}</strong>${mine !== undefined && mine.role !== "" && html`<small>${mine.role}</small>`}</summary>
<form method="post" action="/playground/view-as" class="popover right"><p>See and do what this account is allowed to:</p><input type="hidden" name="to" value="${visit.url.pathname + visit.url.search}"><ul>${choices}</ul></form></details>`;
}

/** The path inside the repository; that of the site outside. */
function restOf(visit: Visit | RepositoryVisit): string {
  return "home" in visit
    ? visit.url.pathname.slice(visit.home.length).replace(/\/$/, "")
    : visit.url.pathname;
}

function repositoryBar(visit: RepositoryVisit): Html {
  const { repository, home } = visit;
  const rest = restOf(visit);
  const open = [...repository.issues.values()].filter((issue) => issue.state === "open");
  const pulls = open.filter(isPull).length;
  const tab = (name: IconName, word: string, to: string, here: RegExp, amount: number | null): Html =>
    html`<a href="${home}${to}"${here.test(rest) && html` aria-current="page"`}>${icon(name)}${word}${amount !== null && html`<span class="counter">${amount}</span>`}</a>`;
  return html`<div class="repository-bar">
<h1><a href="/${repository.owner}">${repository.owner}</a><span>/</span><a href="${home}"><strong>${repository.name}</strong></a><span class="badge">${repository.private ? "Private" : "Public"}</span></h1>
<nav aria-label="Repository" class="tabs">
${tab("code", "Code", "", CODE, null)}
${tab("issue", "Issues", "/issues", /^\/(?:issues|labels)/, open.length - pulls)}
${tab("pull", "Pull requests", "/pulls", /^\/(?:pulls?|runs)(?:\/|$)/, pulls)}
</nav></div>`;
}
