import type { Audit } from "../../ports/audit.ts";
import type { RepositoryGit } from "../../ports/git.ts";
import type { Remote } from "../../ports/remote.ts";
import type { Workspace } from "../../ports/workspace.ts";
import type { Ask } from "./api/ask.ts";
import { askGraphQl, type GraphQlQuestion } from "./api/ask-graph-ql.ts";
import { listAll } from "./api/list-all.ts";
import type { Pause } from "./api/send.ts";
import type { AppIdentity, GitHubClient, Notes } from "./app.ts";
import { assertReachable } from "./assert-reachable.ts";

export type Place = { readonly owner: string; readonly name: string; readonly id: number };

/** What wiring passes in to serve one repository. */
export type RepositoryParts = {
  readonly client: GitHubClient;
  readonly place: Place;
  readonly app: AppIdentity;
  readonly remote: Remote;
  readonly workspace: Pick<
    Workspace,
    "examineFile" | "readFile" | "changedFiles" | "commitFiles" | "mergeBase"
  >;
  /** Of the mirror that `remote` fetches into. */
  readonly git: Pick<RepositoryGit, "trusted" | "history" | "storeCommit">;
  /** For operators: what was left alone, and why. */
  readonly warn?: (text: string) => void;
  readonly audit?: Audit;
};

/** One repository, with every request addressed to it. */
export type Repository = Omit<RepositoryParts, "client" | "warn" | "audit"> & {
  readonly ask: Ask;
  readonly list: <T>(
    route: string,
    parameters: Readonly<Record<string, unknown>>,
    item: Parameters<typeof listAll<T>>[3],
    field?: string,
  ) => Promise<T[]>;
  /** Resolves with null when what it is about does not exist, or not for the App. */
  readonly graphQl: <T>(question: GraphQlQuestion<T>) => Promise<T | null>;
  /** After a surprising 404: throws `AccessLost` when it is the repository that is gone. */
  readonly assertReachable: () => Promise<void>;
  readonly pause: Pause;
  readonly notes: Notes;
  readonly warn: (text: string) => void;
  readonly audit: Audit;
};

export function openRepository({ client, warn, audit, ...parts }: RepositoryParts): Repository {
  const { owner, name } = parts.place;
  const ask: Ask = (route, parameters, options) =>
    client.ask(route, { owner, repo: name, ...parameters }, options);
  return {
    ...parts,
    ask,
    list: (route, parameters, item, field) => listAll(ask, route, parameters, item, field),
    graphQl: (question) => askGraphQl(client, question),
    assertReachable: () => assertReachable(ask),
    pause: client.pause,
    notes: client.notes,
    warn: warn ?? (() => undefined),
    audit: audit ?? { refused: () => undefined },
  };
}
