import { generateKeyPairSync } from "node:crypto";
import { nextId } from "../next-id.ts";
import { createUser } from "../people/create-user.ts";
import type { App, Login } from "../types.ts";
import type { World } from "../world.ts";

export type NewApp = {
  readonly name: string;
  readonly slug?: string;
  readonly owner: Login;
  readonly webhookUrl?: string | null;
  readonly webhookSecret?: string;
  readonly permissions: App["permissions"];
  readonly events: readonly string[];
  /** PEM. When left out a pair is made and the private half returned, once, as GitHub does. */
  readonly publicKey?: string;
};

/** Both halves as PEM. */
export type KeyPair = { readonly publicKey: string; readonly privateKey: string };

export function createApp(
  world: World,
  options: NewApp,
): { readonly app: App; readonly privateKey: string | null } {
  createUser(world, { login: options.owner });
  const pair = options.publicKey === undefined ? createKeyPair() : null;
  const slug = options.slug ?? options.name.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  const bot = createUser(world, { login: `${slug}[bot]`, type: "Bot" });
  const app: App = {
    id: nextId(world),
    slug,
    name: options.name,
    bot: bot.login,
    publicKey: options.publicKey ?? pair?.publicKey ?? "",
    webhookUrl: options.webhookUrl ?? null,
    webhookSecret: options.webhookSecret ?? "",
    permissions: { metadata: "read", ...options.permissions },
    events: options.events,
    owner: options.owner,
    createdAt: world.clock.now(),
  };
  world.github.apps.push(app);
  return { app, privateKey: pair?.privateKey ?? null };
}

export function createKeyPair(): KeyPair {
  return generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    // PKCS#1, what GitHub hands out.
    privateKeyEncoding: { type: "pkcs1", format: "pem" },
  });
}
