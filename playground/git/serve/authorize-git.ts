import { atLeast, roleOf } from "../../model/people/role.ts";
import type { Login, Repository, Token } from "../../model/types.ts";
import type { World } from "../../model/world.ts";

export type GitActor = {
  readonly kind: "anonymous" | "user" | "app";
  /** Empty for somebody who gave no token. */
  readonly login: Login;
  readonly mayWriteWorkflows: boolean;
};

export type GitAccess =
  | { readonly kind: "granted"; readonly actor: GitActor }
  | { readonly kind: "refused"; readonly status: 401 | 403 | 404; readonly message: string };

const ANONYMOUS: GitActor = { kind: "anonymous", login: "", mayWriteWorkflows: false };
const NO_CREDENTIALS = "No anonymous write access.";
const BAD_CREDENTIALS =
  "Invalid username or token. Password authentication is not supported for Git operations.";

/**
 * Who asks, and may they? As on GitHub: no token and a repository nobody may see ask for a token (401), a token that does
 * not reach the repository must not learn that it exists (404), one that may only read is told so (403).
 */
export function authorizeGit(
  world: World,
  authorization: string | undefined,
  repository: Repository | null,
  wish: "read" | "write",
): GitAccess {
  const value = tokenOf(authorization);
  if (value === null) {
    if (repository && !repository.private && wish === "read") return { kind: "granted", actor: ANONYMOUS };
    return refused(401, repository && !repository.private ? NO_CREDENTIALS : "Repository not found.");
  }
  const token = world.github.tokens.find((one) => one.value === value);
  if (!token || token.expiresAt <= world.clock.now()) return refused(401, BAD_CREDENTIALS);
  if (token.owner.kind === "installation")
    return judgeApp(world, token, token.owner.installation, repository, wish);
  return judgeUser(world, token, token.owner.login, repository, wish);
}

function judgeApp(
  world: World,
  token: Token,
  id: number,
  repository: Repository | null,
  wish: "read" | "write",
): GitAccess {
  const installation = world.github.installations.find((one) => one.id === id);
  const app = world.github.apps.find((one) => one.id === installation?.app);
  if (!installation || !app || installation.removed) return refused(401, BAD_CREDENTIALS);
  if (installation.suspended) return refused(403, "This installation has been suspended");
  if (!repository) return refused(404, "Repository not found.");
  const inScope =
    installation.repositories.includes(repository.id) &&
    (token.repositories === null || token.repositories.includes(repository.id));
  const contents = inScope ? token.permissions.contents : undefined;
  const mayRead = contents !== undefined || !repository.private;
  if (!mayRead) return refused(404, "Repository not found.");
  if (wish === "write" && contents !== "write")
    return refused(403, "Write access to repository not granted.");
  const mayWriteWorkflows = inScope && token.permissions.workflows === "write";
  return { kind: "granted", actor: { kind: "app", login: app.bot, mayWriteWorkflows } };
}

function judgeUser(
  world: World,
  token: Token,
  login: Login,
  repository: Repository | null,
  wish: "read" | "write",
): GitAccess {
  if (!repository) return refused(404, "Repository not found.");
  const inScope = token.repositories === null || token.repositories.includes(repository.id);
  const role = inScope ? roleOf(world, repository, login) : repository.private ? "none" : "read";
  if (!atLeast(role, "read")) return refused(404, "Repository not found.");
  if (wish === "write" && !atLeast(role, "write")) {
    return refused(403, `Permission to ${repository.owner}/${repository.name}.git denied to ${login}.`);
  }
  return { kind: "granted", actor: { kind: "user", login, mayWriteWorkflows: true } };
}

function refused(status: 401 | 403 | 404, message: string): GitAccess {
  return { kind: "refused", status, message };
}

/** The password of Basic authentication; the user's name is for show, but some put the token there. */
function tokenOf(authorization: string | undefined): string | null {
  const match = /^basic +([A-Za-z0-9+/=_-]+)\s*$/i.exec(authorization ?? "");
  if (!match?.[1]) return null;
  const pair = Buffer.from(match[1], "base64").toString("utf8");
  const colon = pair.indexOf(":");
  const [user, password] = colon < 0 ? [pair, ""] : [pair.slice(0, colon), pair.slice(colon + 1)];
  return password === "" || password === "x-oauth-basic" ? user : password;
}
