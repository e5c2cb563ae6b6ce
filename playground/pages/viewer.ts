import type { IncomingMessage } from "node:http";
import { Refusal } from "../model/refusal.ts";
import type { Login } from "../model/types.ts";
import type { World } from "../model/world.ts";
import type { Answer, Visit } from "./visit.ts";

const COOKIE = "playground_viewer";

/** Who looks: the account of the cookie, else the owner of the first repository, who may do everything. */
export function readViewer(world: World, request: IncomingMessage): Login {
  const pairs = (request.headers.cookie ?? "").split(";").map((pair) => pair.trim().split("="));
  const wanted = pairs.find(([name]) => name === COOKIE)?.[1];
  const people = [...world.github.users.values()].filter((user) => user.type === "User");
  const chosen = people.find(({ login }) => wanted !== undefined && encodeURIComponent(login) === wanted);
  const owner = people.find(({ login }) => login === world.github.repositories[0]?.owner);
  const admin = people.find(({ login }) => world.github.repositories[0]?.roles.get(login) === "admin");
  return (chosen ?? owner ?? admin ?? people[0])?.login ?? "ghost";
}

export function viewerCookie(login: Login): string {
  return `${COOKIE}=${encodeURIComponent(login)}; Path=/; HttpOnly; SameSite=Lax`;
}

export function viewAsAction({ world, form }: Visit): Answer {
  const login = form.get("login") ?? "";
  if (world.github.users.get(login)?.type !== "User") throw new Refusal(422, "There is no such account.");
  const to = form.get("to") ?? "/";
  // Only a path of this site: "//elsewhere" and "/\elsewhere" would leave it.
  const safe = /^\/(?![/\\])/.test(to) ? to : "/";
  return { kind: "go", to: safe, viewer: login };
}
