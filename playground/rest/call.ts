import type { App, Installation, Login, Repository, Role, Token } from "../model/types.ts";
import type { World } from "../model/world.ts";

/** Who asks. */
export type Caller =
  | { readonly kind: "app"; readonly app: App }
  | {
      readonly kind: "installation";
      readonly app: App;
      readonly installation: Installation;
      readonly token: Token;
    }
  | { readonly kind: "user"; readonly login: Login; readonly token: Token }
  | { readonly kind: "anonymous" };

export type Call = {
  readonly world: World;
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** `accept` decides between JSON, diff, raw. */
  readonly accept: string;
  /** Address of this request without page parameters, for Link headers. */
  readonly address: URL;
};

export type RepoCall = Call & {
  readonly repository: Repository;
  /** Account that everything done here is done by; `[bot]` for an App. */
  readonly by: Login;
  readonly viaApp: number | null;
};

export type Answer = {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** What a caller needs for a route of a repository. */
export type Needs = {
  /** One of these permissions is enough for an App. */
  readonly permission: readonly string[] | ((call: RepoCall) => readonly string[]);
  readonly level: "read" | "write";
  /** What a person needs; `read` when left out. */
  readonly role?: Role;
};

export type Route = {
  readonly method: Method;
  /** Template of the description of the API, such as `/repos/{owner}/{repo}/pulls`. */
  readonly path: string;
  /** It makes content that notifies people, which GitHub limits by the minute and the hour. */
  readonly createsContent?: boolean;
} & (
  | {
      readonly scope: "app" | "installation" | "anyone";
      readonly handle: (call: Call) => Promise<Answer> | Answer;
    }
  | {
      readonly scope: "repository";
      readonly needs: Needs;
      readonly handle: (call: RepoCall) => Promise<Answer> | Answer;
    }
);

export function ok(body: unknown): Answer {
  return { status: 200, body };
}

export function created(body: unknown): Answer {
  return { status: 201, body };
}

export function noContent(): Answer {
  return { status: 204 };
}
