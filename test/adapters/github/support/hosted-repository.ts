import { join } from "node:path";
import { afterAll, expect, onTestFinished } from "vitest";
import { install } from "../../../../playground/model/apps/install.ts";
import {
  createRepository,
  type NewRepository,
} from "../../../../playground/model/people/create-repository.ts";
import { setRole } from "../../../../playground/model/people/set-role.ts";
import { settlePush } from "../../../../playground/model/pulls/settle-push.ts";
import type { Installation, Issue, Repository } from "../../../../playground/model/types.ts";
import type { Exchange } from "../../../../playground/model/world.ts";
import {
  createOpenApiValidator,
  type OpenApiValidator,
} from "../../../../playground/rest/validate/create-open-api-validator.ts";
import {
  type AppCredentials,
  type Playground,
  registerApp,
  startPlayground,
} from "../../../../playground/server.ts";
import { openMirror } from "../../../../src/adapters/git/mirror/mirror.ts";
import { createGit } from "../../../../src/adapters/git/run/git.ts";
import { createGitWorkspace } from "../../../../src/adapters/git/workspace.ts";
import { createGitHubApp, type GitHubApp, PERMISSIONS } from "../../../../src/adapters/github/app.ts";
import { signingKeyOf } from "../../../../src/adapters/github/app-jwt.ts";
import { createGitHubForge, type GitHubForgeConfig } from "../../../../src/adapters/github/forge.ts";
import type { RepositoryParts } from "../../../../src/adapters/github/repository.ts";
import { createRepositoryPorts } from "../../../../src/adapters/github/repository-ports.ts";
import type { Sha } from "../../../../src/core/ids.ts";
import { commitMessage } from "../../../../src/core/merge/trailers.ts";
import type { Forge } from "../../../../src/ports/forge.ts";
import type { RepositoryPorts } from "../../../../src/ports/github/repository-ports.ts";
import type { Workspace } from "../../../../src/ports/workspace.ts";
import { APP_KEY } from "../../../support/app-key.ts";
import { git, makeRepo, type TestRepo, tempFolder } from "../../../support/git-repo.ts";
import { describedByOpenApi } from "./openapi.ts";

export const RUN = "add-login-1a2b";
const IDENTITY = { name: "Loom", email: "loom@localhost" };

/** A repository on a GitHub look-alike, with the App installed and a mirror of it on this machine. */
export type Hosted = RepositoryPorts & {
  readonly playground: Playground;
  readonly repository: Repository;
  readonly owner: string;
  readonly installation: Installation;
  readonly app: GitHubApp;
  readonly parts: RepositoryParts;
  readonly workspace: Workspace;
  /** A clone for the person who works on it. */
  person(): TestRepo;
  readonly warnings: string[];
  forge(config?: Partial<GitHubForgeConfig>): Forge;
  /** A second Loom on the same machine, which remembers nothing. */
  again(): Promise<RepositoryPorts & { forge(config?: Partial<GitHubForgeConfig>): Forge }>;
  /** Where a branch stands on the server. */
  tip(branch: string): Sha | null;
  pull(number: number): Issue & { pull: NonNullable<Issue["pull"]> };
  /** The commit of a stage's work, as Loom makes it. */
  stageCommit(stage: string, base: Sha, files?: Record<string, string>): Promise<Sha>;
  /** A person's commit on a branch, on top of `from`. */
  push(branch: string, files: Record<string, string>, from?: string): Promise<Sha>;
  /** Requests to the API since the last call, as `METHOD /path`. */
  requests(): string[];
};

const GRANTED = {
  checks: "write",
  contents: "write",
  issues: "write",
  metadata: "read",
  pull_requests: "write",
} as const;

type Shared = { playground: Playground; credentials: AppCredentials; wrong: string[] };
let shared: Promise<Shared> | null = null;
let count = 0;

function checkExchange(validator: OpenApiValidator, exchange: Exchange): string[] {
  const { method, route, path, query, requestBody, status, responseBody } = exchange;
  const input = method === "GET" || method === "DELETE" ? query : requestBody;
  return status === 304 ? [] : validator.check(method, route ?? path, input, status, responseBody);
}

/** Starting servers takes longer than most tests, so the tests of a file share a playground. */
async function startShared(): Promise<Shared> {
  const wrong: string[] = [];
  const validator = createOpenApiValidator();
  const playground = await startPlayground({
    inspect: (exchange) => wrong.push(...describedByOpenApi(exchange), ...checkExchange(validator, exchange)),
  });
  playground.world.delays.asyncMerge = 0;
  const registration = {
    webhookUrl: null,
    events: ["issue_comment", "pull_request", "push"],
    permissions: GRANTED,
    keys: APP_KEY,
  };
  return { playground, wrong, credentials: registerApp(playground.world, registration) };
}

afterAll(async () => {
  await (await shared)?.playground.close();
  shared = null;
});

export async function hostedRepository(options: Partial<NewRepository> = {}): Promise<Hosted> {
  shared ??= startShared();
  const { playground, wrong, credentials } = await shared;
  const { world } = playground;
  const { app: registered, appId, privateKeyPem } = credentials;
  world.delays.mergeable = 0;
  onTestFinished(() => {
    expect({
      wrong,
      unknown: world.unknownPaths,
      errors: playground.errors,
      unfired: playground.faults.unfired(),
    }).toEqual({ wrong: [], unknown: [], errors: [], unfired: [] });
    playground.faults.clear();
  });
  count += 1;
  const owner = `acme-${count}`;
  const repository = await createRepository(world, {
    owner,
    name: "shop",
    gitDir: playground.gitDir(owner, "shop"),
    files: { "README.md": "shop\n" },
    ...options,
  });
  setRole(world, repository, { login: "pat", role: "maintain" });
  const installation = install(world, registered, { account: owner });
  let clone: TestRepo | null = null;
  const person = (): TestRepo => {
    if (clone) return clone;
    clone = makeRepo();
    clone.git("remote", "add", "origin", repository.gitDir);
    clone.git("fetch", "-q", "origin");
    clone.git("checkout", "-q", "-B", "main", "origin/main");
    return clone;
  };

  const warnings: string[] = [];
  let seen = 0;
  const open = async () => {
    const app = createGitHubApp({
      appId,
      privateKey: privateKeyPem,
      baseUrl: playground.apiUrl,
      pacing: { burst: 10, everyMs: 0 },
      pause: async () => undefined,
    });
    const program = createGit();
    const mirror = await openMirror({
      program,
      path: join(tempFolder(), "mirror"),
      url: `${playground.url}/${owner}/shop.git`,
      credentials: () =>
        app.mintToken({
          installation: installation.id,
          repositoryIds: [repository.id],
          permissions: PERMISSIONS.push,
        }),
    });
    const repoGit = mirror.git;
    const workspace = createGitWorkspace({
      git: repoGit,
      treesRoot: join(tempFolder(), "trees"),
      identity: IDENTITY,
    });
    const parts: RepositoryParts = {
      client: app.installationClient({ installation: installation.id, repositoryId: repository.id }),
      place: { owner, name: "shop", id: repository.id },
      app: await app.identity(),
      remote: mirror.remote,
      workspace,
      git: repoGit,
      warn: (text) => warnings.push(text),
      audit: { refused: ({ boundary, rule, what }) => void warnings.push(`${boundary}/${rule}: ${what}`) },
    };
    const forge = (config: Partial<GitHubForgeConfig> = {}): Forge =>
      createGitHubForge({
        ...parts,
        target: "main",
        identity: IDENTITY,
        config: { mode: "auto", method: null, stack: "chained", deleteBranches: true, ...config },
      });
    return {
      app,
      workspace,
      parts,
      forge,
      ...createRepositoryPorts({
        ...parts,
        signingKeys: { current: signingKeyOf(privateKeyPem), previous: [] },
      }),
    };
  };
  const first = await open();

  return {
    playground,
    repository,
    owner,
    installation,
    person,
    warnings,
    ...first,
    again: open,
    tip(branch) {
      const line = git(repository.gitDir, "for-each-ref", "--format=%(objectname)", `refs/heads/${branch}`);
      return line === "" ? null : line;
    },
    pull(number) {
      const issue = repository.issues.get(number);
      if (!issue?.pull) throw new Error(`#${number} is no pull request`);
      return issue as Issue & { pull: NonNullable<Issue["pull"]> };
    },
    async stageCommit(stage, base, files = { [`${stage}.txt`]: `${stage}\n` }) {
      await first.parts.remote.fetchCommits([base]);
      const message = commitMessage({ subject: `Do ${stage}`, body: "", run: RUN, stage, attempt: 1 });
      return first.workspace.commitFiles({ base, files, message });
    },
    async push(branch, files, from = branch) {
      const ref = `refs/heads/${branch}`;
      const before = await world.git.tip(repository.gitDir, branch);
      const theirs = person();
      theirs.git("fetch", "-q", "--prune", "origin");
      theirs.git("checkout", "-q", "-B", "work", `origin/${from}`);
      theirs.write(files);
      const after = theirs.commit("a person's work");
      theirs.git("push", "-q", "--force", "origin", `work:${ref}`);
      await settlePush(world, repository, [{ ref, before, after }], { by: "pat" });
      return after;
    },
    requests() {
      const all = world.github.requests.map(({ method, path }) => `${method} ${path}`);
      const mine = all.slice(seen).filter((line) => line.includes(` /repos/${owner}/`));
      seen = all.length;
      return mine.map((line) => line.replace(`/repos/${owner}/shop`, ""));
    },
  };
}
