import { roleOf } from "../../model/people/role.ts";
import { notFound, Refusal } from "../../model/refusal.ts";
import type { Role } from "../../model/types.ts";
import { type Call, ok, type RepoCall, type Route } from "../call.ts";
import { budgetOf, limitState } from "../check-limits.ts";
import { textParam } from "../read-fields.ts";
import { fullRepositoryShape } from "../shape/repository.ts";
import { publicUserShape, userShape } from "../shape/user.ts";

export const REPOSITORY_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/repos/{owner}/{repo}",
    scope: "repository",
    needs: { permission: ["metadata"], level: "read" },
    handle: (call) => ok(fullRepositoryShape(call.world, call.repository)),
  },
  {
    method: "GET",
    path: "/repos/{owner}/{repo}/collaborators/{username}/permission",
    scope: "repository",
    needs: { permission: ["metadata"], level: "read", role: "write" },
    handle: permissionOf,
  },
  {
    method: "GET",
    path: "/users/{username}",
    scope: "anyone",
    handle: (call) => showUser(call, textParam(call, "username")),
  },
  { method: "GET", path: "/user", scope: "anyone", handle: currentUser },
  { method: "GET", path: "/rate_limit", scope: "anyone", handle: rateLimit },
];

/** Older than roles: it knows admin, write, read, none. */
const FOLDED: Readonly<Record<Role, "admin" | "write" | "read" | "none">> = {
  admin: "admin",
  maintain: "write",
  write: "write",
  triage: "read",
  read: "read",
  none: "none",
};

function permissionOf(call: RepoCall) {
  const { world, repository } = call;
  const login = textParam(call, "username");
  if (!world.github.users.has(login)) throw notFound();
  const role = roleOf(world, repository, login);
  const permissions = {
    admin: role === "admin",
    maintain: role === "admin" || role === "maintain",
    push: FOLDED[role] === "admin" || FOLDED[role] === "write",
    triage: role !== "read" && role !== "none",
    pull: role !== "none",
  };
  const user = { ...userShape(world, login), permissions, role_name: role };
  return ok({ permission: FOLDED[role], role_name: role, user });
}

function showUser(call: Call, login: string) {
  const user = call.world.github.users.get(login);
  if (!user) throw notFound();
  return ok(publicUserShape(call.world, user));
}

function currentUser(call: Call) {
  if (call.caller.kind === "user") return showUser(call, call.caller.login);
  if (call.caller.kind === "anonymous") throw new Refusal(401, "Requires authentication");
  throw new Refusal(403, "Resource not accessible by integration");
}

function rateLimit(call: Call) {
  const rate = limitState(call.world, budgetOf(call.caller));
  return ok({ resources: { core: rate, search: rate }, rate });
}
