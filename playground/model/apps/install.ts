import { nextId } from "../next-id.ts";
import { tell } from "../people/subjects.ts";
import type { App, Installation, Login, Repository } from "../types.ts";
import type { World } from "../world.ts";

/** Installs an App on an account, for all its repositories or the ones given. */
export function install(
  world: World,
  app: App,
  options: {
    readonly account: Login;
    readonly repositories?: readonly Repository[];
    readonly by?: Login;
    /** Less than the App asks for, when the account has not yet accepted new permissions. */
    readonly permissions?: Installation["permissions"];
  },
): Installation {
  const chosen =
    options.repositories ?? world.github.repositories.filter((one) => one.owner === options.account);
  const installation: Installation = {
    id: nextId(world),
    app: app.id,
    account: options.account,
    permissions: options.permissions ?? app.permissions,
    selection: options.repositories ? "selected" : "all",
    repositories: chosen.map((repository) => repository.id),
    suspended: false,
    suspendedAt: null,
    removed: false,
    createdAt: world.clock.now(),
  };
  world.github.installations.push(installation);
  const sender = options.by ?? options.account;
  tell(world, "installation", "created", { repository: null, sender }, { installation });
  return installation;
}
