import { findRepository } from "../model/find.ts";
import { atLeast, roleOf } from "../model/people/role.ts";
import { notFound, Refusal } from "../model/refusal.ts";
import type { Repository } from "../model/types.ts";
import type { World } from "../model/world.ts";
import { ownValue } from "../table.ts";
import type { Call, Caller, Needs, RepoCall } from "./call.ts";
import { textParam } from "./read-fields.ts";

/** The repository of a call, when the caller may do this there. What it can't see does not exist for it. */
export function authorize(call: Call, needs: Needs): RepoCall {
  const { world, caller } = call;
  const repository = findRepository(world, textParam(call, "owner"), textParam(call, "repo"));
  if (!canSee(world, caller, repository)) throw notFound();
  const allowed: RepoCall = { ...call, repository, ...actorOf(caller) };
  if (caller.kind === "installation") {
    const names = typeof needs.permission === "function" ? needs.permission(allowed) : needs.permission;
    if (!names.some((name) => grants(ownValue(caller.token.permissions, name), needs.level))) {
      throw new Refusal(403, "Resource not accessible by integration");
    }
    return allowed;
  }
  if (caller.kind === "anonymous" && needs.level === "write")
    throw new Refusal(401, "Requires authentication");
  const role = caller.kind === "user" ? roleOf(world, repository, caller.login) : "read";
  if (!atLeast(role, needs.role ?? "read")) {
    const right = needs.role === "admin" ? "admin" : "write";
    throw new Refusal(403, `Must have ${right} rights to Repository.`);
  }
  return allowed;
}

function grants(granted: "read" | "write" | undefined, level: "read" | "write"): boolean {
  return granted === "write" || granted === level;
}

function canSee(world: World, caller: Caller, repository: Repository): boolean {
  switch (caller.kind) {
    case "app":
      throw new Refusal(401, "A JSON web token could not be decoded");
    case "installation":
      return (
        caller.installation.repositories.includes(repository.id) &&
        (caller.token.repositories === null || caller.token.repositories.includes(repository.id))
      );
    case "user":
      return roleOf(world, repository, caller.login) !== "none";
    case "anonymous":
      return !repository.private;
  }
}

function actorOf(caller: Caller): { by: string; viaApp: number | null } {
  if (caller.kind === "installation") return { by: caller.app.bot, viaApp: caller.app.id };
  return { by: caller.kind === "user" ? caller.login : "ghost", viaApp: null };
}
