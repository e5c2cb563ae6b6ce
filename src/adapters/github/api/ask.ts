import { UserError } from "../../../core/errors.ts";
import { AccessLost } from "../../../ports/github/access-lost.ts";
import type { Brake } from "./brake.ts";
import type { Etags } from "./etags.ts";
import { detailOf, GitHubFailure } from "./failure.ts";
import type { Pace } from "./pace.ts";
import { readRateLimit } from "./rate-limit.ts";
import type { Parameters, Pause, Reply, Send } from "./send.ts";

/**
 * The way every request takes. Reads, and writes whose repetition changes nothing (`repeat`), are tried again when GitHub
 * stumbles. Any other write that got no clear answer throws as unsure, and who asked has to look (F14). Limits are
 * honoured for all: a request that was refused by a limit has not taken effect.
 */
export type Ask = (route: string, parameters?: Parameters, options?: AskOptions) => Promise<Reply>;

export type AskOptions = {
  /** Doing it twice is doing it once. */
  readonly repeat?: boolean;
  /** It changes nothing, though it is sent like what does: a GraphQL query. */
  readonly reads?: boolean;
  /** Statuses above 299 that answer the question. */
  readonly answers?: readonly number[];
  /** Which rights the request needs. */
  readonly use?: TokenUse;
};

export type TokenUse = "api" | "merge";

/** A credential that is asked for per request, and replaced when GitHub does not accept it any more (F17). */
export type Credential = {
  get(use: TokenUse): Promise<string>;
  renew(use: TokenUse, refused: { token: string; reply: Reply }): Promise<string>;
};

export type AskParts = {
  readonly send: Send;
  readonly credential: Credential;
  readonly brake: Brake;
  readonly pace: Pace;
  readonly etags: Etags;
  readonly now: () => number;
  readonly pause: Pause;
  /** Waits before a repetition: this, then twice, then three times as long. */
  readonly retryMs: number;
};

const REPETITIONS = 3;

export function createAsk(parts: AskParts): Ask {
  return async (route, parameters = {}, options = {}) => {
    const isRead = route.startsWith("GET ") || options.reads === true;
    const mayRepeat = isRead || options.repeat === true;
    if (!isRead) await parts.pace.turn();
    let stumbles = 0;
    let limits = 0;
    let renewed = false;
    let token = await parts.credential.get(options.use ?? "api");

    for (;;) {
      await parts.brake.wait();
      const reply = await exchange(parts, route, parameters, token);
      if (reply.status === 401 && !renewed) {
        renewed = true;
        token = await parts.credential.renew(options.use ?? "api", { token, reply });
        continue;
      }
      const limit = readRateLimit(reply, parts.now());
      if (limit !== null && limits < REPETITIONS) {
        limits += 1;
        await parts.brake.hold(limit);
        continue;
      }
      const stumbled = reply.status === 0 || reply.status >= 500;
      if (stumbled && mayRepeat && stumbles < REPETITIONS) {
        stumbles += 1;
        await parts.pause(parts.retryMs * stumbles);
        continue;
      }
      if (reply.status >= 200 && reply.status < 300) return reply;
      if (options.answers?.includes(reply.status)) return reply;
      throw failureOf(route, reply, stumbled && !mayRepeat);
    }
  };
}

async function exchange(
  parts: AskParts,
  route: string,
  parameters: Parameters,
  token: string,
): Promise<Reply> {
  const headers = { authorization: `Bearer ${token}`, "x-github-api-version": "2022-11-28" };
  if (!route.startsWith("GET ")) return parts.send(route, parameters, headers);
  const key = `${route} ${JSON.stringify(parameters)}`;
  const known = parts.etags.get(key);
  const reply = await parts.send(route, parameters, {
    ...headers,
    ...(known ? { "if-none-match": known.etag } : {}),
  });
  if (reply.status === 304 && known) return known.reply();
  if (isSettled(reply)) parts.etags.keep(key, reply);
  return reply;
}

/** While GitHub works out whether something can be merged, the tag does not have to change when it is done. */
function isSettled({ status, data }: Reply): boolean {
  if (status === 0 || status >= 500) return false;
  return (data as { mergeable?: unknown } | null)?.mergeable !== null;
}

function failureOf(route: string, reply: Reply, unsure: boolean): Error {
  const detail = detailOf(reply.data);
  const failure = new GitHubFailure({ route, status: reply.status, detail, unsure });
  if (reply.status === 403 && /suspended/i.test(detail))
    return new AccessLost("suspended", { cause: failure });
  if (reply.status === 403 && isForbidden(detail)) return missingPermission(reply, failure);
  return failure;
}

export function isForbidden(detail: string): boolean {
  return /not accessible by integration/i.test(detail);
}

export function missingPermission({ headers }: Reply, cause: GitHubFailure): UserError {
  const accepted = (headers["x-accepted-github-permissions"] ?? "").replaceAll(/[^a-z_=,; ]/g, "").trim();
  const named = accepted === "" ? "a permission that it does not have" : `the permission \`${accepted}\``;
  return new UserError(`The GitHub App needs ${named} to do this.`, {
    next: "Grant it in the App's settings under Permissions, then accept the change where the App is installed.",
    cause,
  });
}
