import { findApp } from "../../model/find.ts";
import type { Installation } from "../../model/types.ts";
import type { World } from "../../model/world.ts";
import { apiUrl, htmlUrl, instant, instantOrNull } from "./addresses.ts";
import { userShape } from "./user.ts";

export function installationShape(world: World, installation: Installation) {
  const app = findApp(world, installation.app);
  const account = world.github.users.get(installation.account);
  return {
    id: installation.id,
    account: userShape(world, installation.account),
    repository_selection: installation.selection,
    access_tokens_url: apiUrl(world, `/app/installations/${installation.id}/access_tokens`),
    repositories_url: apiUrl(world, "/installation/repositories"),
    html_url: htmlUrl(world, `/settings/installations/${installation.id}`),
    app_id: app.id,
    app_slug: app.slug,
    target_id: account?.id ?? 0,
    target_type: account?.type === "Organization" ? "Organization" : "User",
    permissions: installation.permissions,
    events: [...app.events],
    created_at: instant(installation.createdAt),
    updated_at: instant(installation.suspendedAt ?? installation.createdAt),
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [] as string[],
    suspended_by: installation.suspended ? userShape(world, installation.account) : null,
    suspended_at: instantOrNull(installation.suspendedAt),
  };
}
