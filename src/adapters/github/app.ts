import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod";
import type { Cache } from "../../ports/cache.ts";
import { type Ask, type Credential, createAsk, type TokenUse } from "./api/ask.ts";
import { createBrake } from "./api/brake.ts";
import { createEtags } from "./api/etags.ts";
import { listAll } from "./api/list-all.ts";
import { createPace, type Pace } from "./api/pace.ts";
import { readAnswer } from "./api/read-answer.ts";
import { createSend, type Pause } from "./api/send.ts";
import { readPrivateKey, signAppJwt } from "./app-jwt.ts";
import { type Delivery, failedDeliveries } from "./failed-deliveries.ts";
import { createTokens, type Permissions, type TokenSpec } from "./tokens.ts";

export type GitHubAppOptions = {
  readonly appId: number | string;
  readonly privateKey: string;
  readonly baseUrl?: string;
  readonly fetch?: typeof globalThis.fetch;
  /** Where processes tell each other that GitHub asked for a break. */
  readonly cache?: Cache;
  /** Writes to one repository: this many at once, then one per `everyMs`. */
  readonly pacing?: { readonly burst: number; readonly everyMs: number };
  /** The longest that a request waits for a limit to end; above it, `RateLimited` is thrown. */
  readonly maxWaitMs?: number;
  readonly retryMs?: number;
  readonly timeoutMs?: number;
  readonly now?: () => number;
  readonly pause?: Pause;
};

export type AppIdentity = {
  readonly id: number;
  readonly slug: string;
  /** Who the App's comments are from. */
  readonly botLogin: string;
};

export type Installation = { readonly id: number; readonly account: string; readonly suspended: boolean };
export type InstalledRepository = { readonly id: number; readonly owner: string; readonly name: string };

export type GitHubClient = {
  readonly ask: Ask;
  readonly pause: Pause;
  readonly notes: Notes;
};

/** What is worth remembering about a repository for as long as the process lives. */
export type Notes = {
  /** It has no native stacks. */
  stacksMissing: boolean;
  /** How often in a row GitHub did not know yet whether a pull request can be merged. */
  readonly asked: Map<number, number>;
};

export type GitHubApp = {
  identity(): Promise<AppIdentity>;
  /** One per repository; what it remembers, such as ETags and pacing, is kept between calls. */
  installationClient(of: { installation: number; repositoryId: number }): GitHubClient;
  /** For git: asked per push or fetch. `refused` is a token that GitHub did not accept any more. */
  mintToken(spec: TokenSpec, refused?: string): Promise<string>;
  installations(): Promise<readonly Installation[]>;
  repositories(installation: number): Promise<readonly InstalledRepository[]>;
  /** Deliveries since then that never arrived, oldest first. */
  failedDeliveries(since: Date): Promise<readonly Delivery[]>;
  redeliver(id: string): Promise<void>;
};

/** The least that each use needs. */
export const PERMISSIONS: Readonly<Record<TokenUse | "push" | "fetch", Permissions>> = {
  api: { checks: "write", contents: "read", issues: "write", metadata: "read", pull_requests: "write" },
  merge: { contents: "write", metadata: "read", pull_requests: "write" },
  push: { contents: "write", metadata: "read" },
  fetch: { contents: "read", metadata: "read" },
};

export function createGitHubApp(options: GitHubAppOptions): GitHubApp {
  const now = options.now ?? Date.now;
  const pause: Pause = options.pause ?? ((ms) => wait(ms));
  const send = createSend({
    baseUrl: options.baseUrl ?? "https://api.github.com",
    timeoutMs: options.timeoutMs ?? 30_000,
    ...(options.fetch ? { fetch: options.fetch } : {}),
  });
  const freely: Pace = { turn: async () => undefined };
  const etags = createEtags();
  const newAsk = (name: string, credential: Credential, pace: Pace): Ask =>
    createAsk({
      send,
      credential,
      pace,
      brake: createBrake({
        key: `github-limit/${name}`,
        cache: options.cache ?? null,
        maxWaitMs: options.maxWaitMs ?? 90_000,
        now,
        pause,
      }),
      etags: etags.of(name),
      now,
      pause,
      retryMs: options.retryMs ?? 1000,
    });

  const askAsApp = newAsk("app", appCredential(options, now), freely);
  const tokens = createTokens({ ask: askAsApp, now });
  const clients = new Map<string, GitHubClient>();
  let identity: Promise<AppIdentity> | null = null;

  return {
    identity() {
      identity ??= readIdentity(askAsApp).catch((error) => {
        identity = null;
        throw error;
      });
      return identity;
    },
    installationClient({ installation, repositoryId }) {
      const name = `${installation}/${repositoryId}`;
      const known = clients.get(name);
      if (known) return known;
      const specFor = (use: TokenUse): TokenSpec => ({
        installation,
        repositoryIds: [repositoryId],
        permissions: PERMISSIONS[use],
      });
      const credential: Credential = {
        get: (use) => tokens.get(specFor(use)),
        renew: (use, refused) => tokens.renew(specFor(use), refused.token),
      };
      const pace = createPace({ ...(options.pacing ?? { burst: 10, everyMs: 1000 }), now, pause });
      const client: GitHubClient = {
        ask: newAsk(String(installation), credential, pace),
        pause,
        notes: { stacksMissing: false, asked: new Map() },
      };
      clients.set(name, client);
      return client;
    },
    mintToken: (spec, refused) => (refused === undefined ? tokens.get(spec) : tokens.renew(spec, refused)),
    installations: () => listAll(askAsApp, "GET /app/installations", {}, INSTALLATION),
    async repositories(installation) {
      const spec = { installation, repositoryIds: [], permissions: { metadata: "read" as const } };
      const ask = newAsk(
        String(installation),
        { get: () => tokens.get(spec), renew: (_use, { token }) => tokens.renew(spec, token) },
        freely,
      );
      return listAll(ask, "GET /installation/repositories", {}, REPOSITORY, "repositories");
    },
    failedDeliveries: (since) => failedDeliveries(askAsApp, since),
    async redeliver(id) {
      // Twice is harmless: deliveries are told apart by their id.
      await askAsApp(
        "POST /app/hook/deliveries/{delivery_id}/attempts",
        { delivery_id: id },
        { repeat: true },
      );
    },
  };
}

const INSTALLATION = z
  .object({
    id: z.number(),
    account: z.object({ login: z.string().optional() }).nullish(),
    suspended_at: z.string().nullish(),
  })
  .transform(
    ({ id, account, suspended_at }): Installation => ({
      id,
      account: account?.login ?? "",
      suspended: suspended_at != null,
    }),
  );

const REPOSITORY = z
  .object({ id: z.number(), name: z.string(), owner: z.object({ login: z.string() }) })
  .transform(({ id, name, owner }): InstalledRepository => ({ id, owner: owner.login, name }));

async function readIdentity(ask: Ask): Promise<AppIdentity> {
  const route = "GET /app";
  const shape = z.object({ id: z.number(), slug: z.string() });
  const { id, slug } = readAnswer(shape, await ask(route), route);
  return { id, slug, botLogin: `${slug}[bot]` };
}

/** The App's own word, signed anew before it ends. A clock that is wrong is corrected by GitHub's. */
function appCredential({ appId, privateKey }: GitHubAppOptions, now: () => number): Credential {
  const key = readPrivateKey(privateKey);
  let drift = 0;
  let signed = { jwt: "", at: Number.NEGATIVE_INFINITY };
  const current = (): string => {
    if (now() - signed.at > 5 * 60_000) {
      signed = { jwt: signAppJwt({ appId: String(appId), key, now: now() + drift }), at: now() };
    }
    return signed.jwt;
  };
  return {
    get: async () => current(),
    async renew(_use, { reply }) {
      const theirs = Date.parse(reply.headers.date ?? "");
      if (Number.isFinite(theirs)) drift = theirs - now();
      signed = { jwt: "", at: Number.NEGATIVE_INFINITY };
      return current();
    },
  };
}
