import type { App } from "../../model/types.ts";
import type { World } from "../../model/world.ts";
import { htmlUrl, instant, nodeId } from "./addresses.ts";
import { userShape } from "./user.ts";

export function appShape(world: World, app: App) {
  return {
    id: app.id,
    slug: app.slug,
    node_id: nodeId("App", app.id),
    client_id: `Iv1.${app.id.toString(16).padStart(16, "0")}`,
    owner: userShape(world, app.owner),
    name: app.name,
    description: null,
    external_url: htmlUrl(world, `/apps/${app.slug}`),
    html_url: htmlUrl(world, `/apps/${app.slug}`),
    created_at: instant(app.createdAt),
    updated_at: instant(app.createdAt),
    permissions: app.permissions,
    events: [...app.events],
  };
}

/** The App something came through, or null. */
export function appOrNull(world: World, id: number | null) {
  const app = id === null ? undefined : world.github.apps.find((one) => one.id === id);
  return app ? appShape(world, app) : null;
}
