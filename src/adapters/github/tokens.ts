import * as z from "zod";
import { UserError } from "../../core/errors.ts";
import { AccessLost } from "../../ports/github/access-lost.ts";
import type { Ask } from "./api/ask.ts";
import { detailOf, GitHubFailure } from "./api/failure.ts";
import { readAnswer } from "./api/read-answer.ts";
import type { Reply } from "./api/send.ts";

export type Permissions = Readonly<Record<string, "read" | "write">>;

/** What a token may do, and where: each names its repositories and the least rights (T17). */
export type TokenSpec = {
  readonly installation: number;
  readonly repositoryIds: readonly number[];
  readonly permissions: Permissions;
};

export type Tokens = {
  get(spec: TokenSpec): Promise<string>;
  /** A new one, unless that has been fetched since `refused` was handed out. */
  renew(spec: TokenSpec, refused: string): Promise<string>;
};

const ROUTE = "POST /app/installations/{installation_id}/access_tokens";
/** A token has to outlive the operation it is asked for. */
const SPARE_MS = 10 * 60_000;

type Kept = { token: string; expires: number };

export function createTokens({ ask, now }: { ask: Ask; now: () => number }): Tokens {
  const tokens = new Map<string, { installation: number; fetching: Promise<Kept> }>();

  function fetchToken(key: string, spec: TokenSpec): Promise<Kept> {
    const fetching = mint(ask, spec);
    const entry = { installation: spec.installation, fetching };
    tokens.set(key, entry);
    fetching.catch(() => {
      if (tokens.get(key) === entry) tokens.delete(key);
    });
    return fetching;
  }

  /** What is kept, or is being fetched by somebody else, when it will do; else a new one. */
  async function obtain(spec: TokenSpec, willDo: (known: Kept) => boolean): Promise<string> {
    const key = keyOf(spec);
    for (;;) {
      const entry = tokens.get(key);
      const known = await (entry?.fetching ?? fetchToken(key, spec));
      if (entry === undefined || willDo(known)) return known.token;
      if (tokens.get(key) === entry) tokens.delete(key);
    }
  }

  return {
    get: (spec) => obtain(spec, ({ expires }) => expires - now() > SPARE_MS),
    async renew(spec, refused) {
      const known = await tokens.get(keyOf(spec))?.fetching.catch(() => null);
      // What ended one token before its time has hardly spared the installation's others, such as that for git.
      if (known?.token === refused) {
        for (const [key, entry] of tokens) if (entry.installation === spec.installation) tokens.delete(key);
      }
      return obtain(spec, ({ token }) => token !== refused);
    },
  };
}

function keyOf({ installation, repositoryIds, permissions }: TokenSpec): string {
  return JSON.stringify([installation, [...repositoryIds].sort(), Object.entries(permissions).sort()]);
}

async function mint(ask: Ask, { installation, repositoryIds, permissions }: TokenSpec): Promise<Kept> {
  const reply = await ask(
    ROUTE,
    {
      installation_id: installation,
      // None named: to learn which there are. Such a token reads names and nothing else.
      ...(repositoryIds.length === 0 ? {} : { repository_ids: repositoryIds }),
      permissions,
    },
    // A token more does no harm.
    { repeat: true, answers: [401, 403, 404, 422] },
  );
  if (reply.status >= 400) throw refusalOf(reply, permissions);
  const answer = readAnswer(z.object({ token: z.string().min(1), expires_at: z.string() }), reply, ROUTE);
  const expires = Date.parse(answer.expires_at);
  return { token: answer.token, expires: Number.isFinite(expires) ? expires : 0 };
}

function refusalOf(reply: Reply, permissions: Permissions): Error {
  const detail = detailOf(reply.data);
  const failure = new GitHubFailure({ route: ROUTE, status: reply.status, detail, unsure: false });
  if (reply.status === 404) return new AccessLost("removed", { cause: failure });
  if (reply.status === 403 && /suspended/i.test(detail))
    return new AccessLost("suspended", { cause: failure });
  if (reply.status === 401) {
    return new UserError("GitHub does not accept the App's id and private key.", {
      next: "Compare APP_ID and PRIVATE_KEY with the App's settings, and this machine's clock with the time.",
      cause: failure,
    });
  }
  if (reply.status === 422 && /permission/i.test(detail)) {
    const list = Object.entries(permissions).map(([name, level]) => `${name}: ${level}`);
    return new UserError(`The GitHub App's installation lacks one of the permissions ${list.join(", ")}.`, {
      next: "Grant it in the App's settings under Permissions, then accept the change where the App is installed.",
      cause: failure,
    });
  }
  if (reply.status === 422) return new AccessLost("repository-gone", { cause: failure });
  return failure;
}
