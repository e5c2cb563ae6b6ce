import { AsyncLocalStorage } from "node:async_hooks";
import type { ModelGit } from "./model-git.ts";
import type { Change, Clock, Delivery, GitHub } from "./types.ts";

/**
 * The modelled GitHub with what it needs to live: a clock that tests can step, git, and listeners. Verbs of this folder
 * take it first, change the data, then announce what happened; webhooks and pages only listen.
 */
export type World = {
  readonly github: GitHub;
  readonly clock: Clock;
  readonly git: ModelGit;
  /** How long GitHub takes for what it does later, in milliseconds of `clock`. Tests may change it at any time. */
  readonly delays: { mergeable: number; asyncMerge: number };
  /** Listeners are called in order of subscription, at once. A listener that throws is a bug and is not caught. */
  subscribe(listener: (change: Change) => void): () => void;
  announce(change: Change): void;
  /**
   * Nothing that happens inside is announced, not even after an await: a lost webhook is one line in a test. What runs
   * beside it stays loud.
   */
  silently<T>(work: () => T): T;
  /** Requests below the API that no route knows, such as `GET /repos/a/b/zen`. Tests fail when there is one. */
  readonly unknownPaths: string[];
  /** Called after each REST exchange. Tests put the OpenAPI validator here. */
  inspect: ((exchange: Exchange) => void) | null;
  /** Sends a delivery again (same guid, new id). Whoever delivers webhooks sets it; null answers 404. */
  redeliver: ((delivery: Delivery) => void) | null;
  /** What the first page tells newcomers to try. Whoever opens the playground for people sets it. */
  guide: Guide | null;
};

export type Guide = { readonly title: string; readonly steps: readonly GuideStep[] };

export type GuideStep =
  | { readonly kind: "open"; readonly path: string; readonly name: string }
  /** `text` is to be entered, or chosen, as it is. */
  | { readonly kind: "enter"; readonly where: string; readonly text: string };

export type Exchange = {
  readonly method: string;
  /** Path template of the description, such as `/repos/{owner}/{repo}`; null when no route was found. */
  readonly route: string | null;
  /** Path without the API prefix and without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly requestBody: unknown;
  readonly status: number;
  readonly responseBody: unknown;
};

export function createWorld({ clock, git }: { clock: Clock; git: ModelGit }): World {
  const listeners = new Set<(change: Change) => void>();
  const silence = new AsyncLocalStorage<true>();
  return {
    clock,
    git,
    github: emptyGitHub(),
    delays: { mergeable: 100, asyncMerge: 100 },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    announce(change) {
      if (silence.getStore()) return;
      for (const listener of [...listeners]) listener(change);
    },
    silently: (work) => silence.run(true, work),
    unknownPaths: [],
    inspect: null,
    redeliver: null,
    guide: null,
  };
}

function emptyGitHub(): GitHub {
  return {
    url: "http://127.0.0.1",
    users: new Map(),
    members: new Map(),
    apps: [],
    installations: [],
    tokens: [],
    repositories: [],
    deliveries: [],
    manifests: new Map(),
    limits: {
      primary: 5000,
      pointsPerMinute: 900,
      contentPerMinute: 80,
      contentPerHour: 500,
      concurrent: 100,
    },
    requests: [],
    nextId: 1000,
  };
}
