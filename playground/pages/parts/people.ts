import { atLeast, roleOf } from "../../model/people/role.ts";
import type { Login } from "../../model/types.ts";
import type { World } from "../../model/world.ts";
import { type Html, html } from "../html.ts";
import type { RepositoryVisit } from "../visit.ts";
import { icon } from "./icons.ts";

const TONES = 8;

/** A disc with the first letter, in a colour that stays the same for a login. */
export function avatar(login: Login, size: "normal" | "big" = "normal"): Html {
  const tone =
    [...login].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9973, 7) % TONES;
  const letter = login.endsWith("[bot]") ? icon("bot") : html`${[...login][0]?.toUpperCase() ?? "?"}`;
  return html`<span class="avatar ${size} tone-${tone}" aria-hidden="true">${letter}</span>`;
}

export function person(login: Login): Html {
  const name = login.replace(/\[bot\]$/, "");
  return html`<a class="person" href="/${encodeURIComponent(login)}">${name}</a>${login.endsWith("[bot]") && html` <span class="badge">bot</span>`}`;
}

/** What a reader wants to know about somebody who speaks: do they belong here? */
export function standing(visit: RepositoryVisit, login: Login): Html | null {
  if (login.endsWith("[bot]")) return null;
  if (login === visit.repository.owner) return html`<span class="badge">Owner</span>`;
  const role = visit.repository.roles.get(login);
  return role !== undefined && atLeast(role, "triage") ? html`<span class="badge">Collaborator</span>` : null;
}

export function peopleWithRoles(visit: {
  world: World;
  repository?: RepositoryVisit["repository"];
}): { login: Login; role: string }[] {
  const { world, repository } = visit;
  return [...world.github.users.values()]
    .filter((user) => user.type === "User")
    .map(({ login }) => {
      if (repository === undefined) return { login, role: "" };
      const role = roleOf(world, repository, login);
      const known = login === repository.owner || repository.roles.has(login);
      return { login, role: known ? role : "stranger" };
    });
}
