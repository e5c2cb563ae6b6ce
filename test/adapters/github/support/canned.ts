import nock from "nock";
import { onTestFinished } from "vitest";
import {
  createGitHubApp,
  type GitHubApp,
  type GitHubAppOptions,
} from "../../../../src/adapters/github/app.ts";
import { APP_KEY } from "../../../support/app-key.ts";

// It puts itself in Node's place as soon as it is loaded, and other tests of this process ask real servers.
nock.restore();

/** GitHub as single answers, for what goes wrong on the way. Whatever is not in the script fails. */
export const API = "https://api.github.test";
export const PRIVATE_KEY = APP_KEY.privateKey;
export const IN_AN_HOUR = () => new Date(Date.now() + 3_600_000).toISOString();

export type Canned = {
  readonly app: GitHubApp;
  readonly github: nock.Scope;
  /** How long the code under test wanted to wait, in order; it did not have to. */
  readonly pauses: number[];
  /** Bodies of the requests for tokens. */
  readonly mints: Record<string, unknown>[];
};

export function cannedGitHub(options: Partial<GitHubAppOptions> & { mint?: false } = {}): Canned {
  if (!nock.isActive()) nock.activate();
  nock.disableNetConnect();
  const github = nock(API);
  const pauses: number[] = [];
  const mints: Record<string, unknown>[] = [];
  if (options.mint !== false) {
    nock(API)
      .persist()
      .post("/app/installations/7/access_tokens", (body) => mints.push(body) > 0)
      .reply(201, () => ({ token: `ghs_secret${mints.length}`, expires_at: IN_AN_HOUR() }));
  }
  onTestFinished(() => {
    nock.cleanAll();
    nock.enableNetConnect();
    nock.restore();
  });
  const app = createGitHubApp({
    appId: 42,
    privateKey: PRIVATE_KEY,
    baseUrl: API,
    pause: async (ms) => {
      pauses.push(ms);
    },
    ...options,
  });
  return { app, github, pauses, mints };
}
