import { mintToken } from "../../model/apps/mint-token.ts";
import { convertManifest } from "../../model/apps/register-manifest.ts";
import { findInstallation, findRepository, fullName, repositoryById } from "../../model/find.ts";
import { notFound, Refusal } from "../../model/refusal.ts";
import type { App, Installation, Token } from "../../model/types.ts";
import { type Call, created, noContent, ok, type Route } from "../call.ts";
import { paginate } from "../paginate.ts";
import { listField, numberList, numberParam, objectField, textParam } from "../read-fields.ts";
import { appShape } from "../shape/app.ts";
import { installationShape } from "../shape/installation.ts";
import { repositoryShape } from "../shape/repository.ts";
import { tokenShape } from "../shape/token.ts";

export const APP_ROUTES: readonly Route[] = [
  { method: "GET", path: "/app", scope: "app", handle: (call) => ok(appShape(call.world, appOf(call))) },
  {
    method: "GET",
    path: "/app/installations",
    scope: "app",
    handle: (call) => {
      const mine = call.world.github.installations.filter(
        (one) => one.app === appOf(call).id && !one.removed,
      );
      return paginate(call, mine, (one) => installationShape(call.world, one));
    },
  },
  {
    method: "GET",
    path: "/app/installations/{installation_id}",
    scope: "app",
    handle: (call) => ok(installationShape(call.world, installationOf(call))),
  },
  {
    method: "POST",
    path: "/app/installations/{installation_id}/access_tokens",
    scope: "app",
    handle: (call) => created(tokenShape(call.world, mint(call))),
  },
  { method: "GET", path: "/repos/{owner}/{repo}/installation", scope: "app", handle: repositoryInstallation },
  {
    method: "DELETE",
    path: "/installation/token",
    scope: "installation",
    handle: (call) => {
      if (call.caller.kind === "installation") call.caller.token.expiresAt = call.world.clock.now();
      return noContent();
    },
  },
  {
    method: "POST",
    path: "/app-manifests/{code}/conversions",
    scope: "anyone",
    handle: (call) => {
      const { app, privateKey } = convertManifest(call.world, textParam(call, "code"));
      const shape = appShape(call.world, app);
      const secrets = {
        client_secret: app.webhookSecret,
        webhook_secret: app.webhookSecret,
        pem: privateKey,
      };
      return created({ ...shape, ...secrets });
    },
  },
  { method: "GET", path: "/installation/repositories", scope: "installation", handle: listRepositories },
];

export function appOf(call: Call): App {
  if (call.caller.kind !== "app") throw new Refusal(401, "A JSON web token could not be decoded");
  return call.caller.app;
}

function installationOf(call: Call): Installation {
  const installation = findInstallation(call.world, numberParam(call, "installation_id"));
  if (installation.app !== appOf(call).id) throw notFound();
  return installation;
}

function mint(call: Call): Token {
  const { world, body } = call;
  const installation = installationOf(call);
  const permissions = objectField(body, "permissions") as Token["permissions"] | undefined;
  const repositories = numberList(body, "repository_ids") ?? namedRepositories(call, installation);
  return mintToken(world, installation, {
    ...(repositories && { repositories }),
    ...(permissions && { permissions }),
  });
}

/** By name, without the owner. A name that nobody has becomes an id that nobody has: refused like any stranger. */
function namedRepositories(call: Call, installation: Installation): number[] | undefined {
  return listField(call.body, "repositories")?.map((name) => {
    const wanted = `${installation.account}/${String(name)}`.toLowerCase();
    const all = call.world.github.repositories;
    return all.find((one) => fullName(one).toLowerCase() === wanted)?.id ?? -1;
  });
}

function repositoryInstallation(call: Call) {
  const { world } = call;
  const repository = findRepository(world, textParam(call, "owner"), textParam(call, "repo"));
  const found = world.github.installations.find(
    (one) => one.app === appOf(call).id && !one.removed && one.repositories.includes(repository.id),
  );
  if (!found) throw notFound();
  return ok(installationShape(world, found));
}

function listRepositories(call: Call) {
  const { world, caller } = call;
  if (caller.kind !== "installation") throw notFound();
  const { installation, token } = caller;
  const ids = installation.repositories.filter((id) => token.repositories?.includes(id) ?? true);
  return paginate(
    call,
    ids,
    (id) => repositoryShape(world, repositoryById(world, id)),
    (repositories, total_count) => ({
      total_count,
      repository_selection: token.repositories === null ? installation.selection : "selected",
      repositories,
    }),
  );
}
