import { randomBytes } from "node:crypto";
import { notFound } from "../refusal.ts";
import type { App, AppManifest, Login } from "../types.ts";
import type { World } from "../world.ts";
import { createApp } from "./create-app.ts";

/** A person has pressed "Create GitHub App" on a manifest. The code is good for one conversion within an hour. */
export function registerManifest(
  world: World,
  options: { readonly by: Login; readonly manifest: AppManifest },
): string {
  const code = randomBytes(20).toString("hex");
  world.github.manifests.set(code, { ...options, expiresAt: world.clock.now() + 60 * 60 * 1000 });
  return code;
}

/** What the setup page does with the code it got back: the App exists now, its key is shown once. */
export function convertManifest(
  world: World,
  code: string,
): { readonly app: App; readonly privateKey: string } {
  const pending = world.github.manifests.get(code);
  if (!pending || world.clock.now() > pending.expiresAt) throw notFound();
  world.github.manifests.delete(code);
  const { by, manifest } = pending;
  const { app, privateKey } = createApp(world, {
    name: manifest.name ?? "app",
    owner: by,
    webhookUrl: manifest.hook_attributes?.url ?? null,
    webhookSecret: randomBytes(20).toString("hex"),
    permissions: manifest.default_permissions ?? {},
    events: manifest.default_events ?? [],
  });
  return { app, privateKey: privateKey ?? "" };
}
