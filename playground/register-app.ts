import { randomBytes } from "node:crypto";
import { createApp, createKeyPair, type KeyPair } from "./model/apps/create-app.ts";
import { createUser } from "./model/people/create-user.ts";
import type { App, Login } from "./model/types.ts";
import type { World } from "./model/world.ts";

export type AppRegistration = {
  readonly webhookUrl: string | null;
  readonly permissions: App["permissions"];
  readonly events: readonly string[];
  readonly name?: string;
  readonly owner?: Login;
  /** A new one unless given. */
  readonly keys?: KeyPair;
};

/** What the owner of a new App gets to see, once: all that the App needs to run. */
export type AppCredentials = {
  readonly app: App;
  readonly appId: number;
  readonly privateKeyPem: string;
  readonly webhookSecret: string;
};

export function registerApp(world: World, registration: AppRegistration): AppCredentials {
  const { webhookUrl, permissions, events, name = "Loom", owner = "loom-makers" } = registration;
  const { publicKey, privateKey } = registration.keys ?? createKeyPair();
  const webhookSecret = randomBytes(20).toString("hex");
  createUser(world, { login: owner });
  const { app } = createApp(world, {
    name,
    owner,
    webhookUrl,
    webhookSecret,
    permissions,
    events,
    publicKey,
  });
  return { app, appId: app.id, privateKeyPem: privateKey, webhookSecret };
}
