import { randomBytes } from "node:crypto";
import { ownValue } from "../../table.ts";
import { Refusal } from "../refusal.ts";
import type { Installation, Login, Token } from "../types.ts";
import type { World } from "../world.ts";

const AN_HOUR = 60 * 60 * 1000;

/** A token of an installation; never more than the installation has. */
export function mintToken(
  world: World,
  installation: Installation,
  options: { readonly repositories?: readonly number[]; readonly permissions?: Token["permissions"] } = {},
): Token {
  if (installation.removed) throw new Refusal(404, "Not Found");
  if (installation.suspended) throw new Refusal(403, "This installation has been suspended");
  const { repositories, permissions } = options;
  const strangers = (repositories ?? []).some((id) => !installation.repositories.includes(id));
  if (strangers) {
    throw new Refusal(
      422,
      "There is at least one repository that does not exist or is not accessible to the parent installation.",
    );
  }
  for (const [name, level] of Object.entries(permissions ?? {})) {
    const granted = ownValue(installation.permissions, name);
    if (granted === "write" || granted === level) continue;
    throw new Refusal(422, "The permissions requested are not granted to this installation.");
  }
  const token: Token = {
    value: `ghs_${installation.app}_${jwtLike()}`,
    owner: { kind: "installation", installation: installation.id },
    repositories: repositories ?? null,
    permissions: permissions ? { metadata: "read", ...permissions } : installation.permissions,
    expiresAt: world.clock.now() + AN_HOUR,
  };
  world.github.tokens.push(token);
  return token;
}

/** A personal token with all the person's rights; it does not expire. */
export function mintUserToken(world: World, login: Login): Token {
  const token: Token = {
    value: `ghp_${randomBytes(27).toString("base64url").replaceAll(/[-_]/g, "x")}`,
    owner: { kind: "user", login },
    repositories: null,
    permissions: {},
    expiresAt: Number.MAX_SAFE_INTEGER,
  };
  world.github.tokens.push(token);
  return token;
}

/** Three base64url parts with dots: as long (about 520 characters in all) and as odd as GitHub's new tokens. */
function jwtLike(): string {
  return [27, 96, 256].map((bytes) => randomBytes(bytes).toString("base64url")).join(".");
}
