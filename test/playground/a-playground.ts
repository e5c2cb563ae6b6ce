import { createPrivateKey, sign } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Octokit } from "@octokit/rest";
import { createModelGit } from "../../playground/git/model-git.ts";
import { serveGraphQl } from "../../playground/graph-ql/serve-graph-ql.ts";
import { createApp } from "../../playground/model/apps/create-app.ts";
import { install } from "../../playground/model/apps/install.ts";
import { mintToken, mintUserToken } from "../../playground/model/apps/mint-token.ts";
import { createRepository, type NewRepository } from "../../playground/model/people/create-repository.ts";
import { afterPush } from "../../playground/model/pulls/after-push.ts";
import type { App, Change, Installation, Protection, Repository } from "../../playground/model/types.ts";
import { createWorld, type World } from "../../playground/model/world.ts";
import { serveRest } from "../../playground/rest/serve-rest.ts";
import { createOpenApiValidator } from "../../playground/rest/validate/create-open-api-validator.ts";
import { APP_KEY } from "../support/app-key.ts";

const validator = createOpenApiValidator();

export type Playground = {
  readonly world: World;
  readonly app: App;
  readonly privateKey: string;
  readonly installation: Installation;
  readonly repository: Repository;
  /** What Octokit needs in each call. */
  readonly at: { readonly owner: string; readonly repo: string };
  /** Everything announced so far. */
  readonly changes: Change[];
  /** What the official description of the API found wrong, and paths nobody serves. */
  readonly problems: string[];
  /** Steps the clock, in milliseconds. */
  step(milliseconds: number): void;
  asApp(): Octokit;
  asInstallation(options?: Parameters<typeof mintToken>[2]): Octokit;
  as(login: string): Octokit;
  withToken(token: string): Octokit;
  /** Commits files on a branch (made from the default one) as a push of `ada`, and returns the new tip. */
  push(
    branch: string,
    files: Record<string, string | null>,
    options?: { from?: string; message?: string },
  ): Promise<string>;
  addRepository(options: Partial<NewRepository> & { name: string }): Promise<Repository>;
  close(): Promise<void>;
};

/** One world with a repository `ada/tools`, an App that is installed there, and the API on a port of its own. */
export async function aPlayground(options: Partial<NewRepository> = {}): Promise<Playground> {
  const folder = await mkdtemp(join(tmpdir(), "loom-playground-"));
  let now = Date.parse("2026-11-01T10:00:00Z");
  const world = createWorld({ clock: { now: () => now }, git: createModelGit() });
  const changes: Change[] = [];
  const problems: string[] = [];
  world.subscribe((change) => changes.push(change));
  world.inspect = ({ method, route, path, query, requestBody, status, responseBody }) => {
    const input = method === "GET" || method === "DELETE" ? query : requestBody;
    problems.push(...validator.check(method, route ?? path, input, status, responseBody));
  };
  const server = createServer((request, response) => {
    serve(world, request, response).then(
      (served) => served || response.writeHead(404).end(),
      (problem: unknown) => {
        problems.push(`the server broke: ${problem instanceof Error ? problem.stack : String(problem)}`);
        response.writeHead(500).end();
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  world.github.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const addRepository = (more: Partial<NewRepository> & { name: string }) =>
    createRepository(world, {
      owner: "ada",
      gitDir: join(folder, `${more.owner ?? "ada"}-${more.name}.git`),
      ...(!more.parent && { files: { "README.md": "# Tools\n", "src/main.ts": "export {};\n" } }),
      ...more,
    });
  const repository = await addRepository({ name: "tools", ...options });
  const { privateKey } = APP_KEY;
  const { app } = createApp(world, {
    publicKey: APP_KEY.publicKey,
    name: "Loom",
    owner: "ada",
    permissions: {
      issues: "write",
      pull_requests: "write",
      contents: "write",
      checks: "write",
      administration: "read",
    },
    events: ["issue_comment", "pull_request"],
  });
  const installation = install(world, app, { account: "ada", repositories: [repository] });
  const withToken = (token: string) => octokit(world, token);

  return {
    world,
    app,
    privateKey,
    installation,
    repository,
    at: { owner: "ada", repo: "tools" },
    changes,
    problems,
    step: (milliseconds) => {
      now += milliseconds;
    },
    asApp: () => withToken(appJwt(app, privateKey)),
    asInstallation: (wish) => withToken(mintToken(world, installation, wish).value),
    as: (login) => withToken(mintUserToken(world, login).value),
    withToken,
    push: async (branch, files, { from, message } = {}) => {
      const { git } = world;
      const before = await git.tip(repository.gitDir, branch);
      const parent = before ?? (await git.tip(repository.gitDir, from ?? repository.defaultBranch));
      const author = { name: "Ada", email: "ada@example.com", at: now };
      const work = { parent, files, message: message ?? `Change ${branch}`, author };
      const after = await git.commitFiles(repository.gitDir, work);
      const ref = `refs/heads/${branch}`;
      await git.updateRef(repository.gitDir, ref, after, before);
      await afterPush(world, repository, [{ ref, before, after }], { by: "ada" });
      return after;
    },
    addRepository,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function serve(world: World, request: IncomingMessage, response: ServerResponse): Promise<boolean> {
  return (await serveRest(world, request, response)) || (await serveGraphQl(world, request, response));
}

function octokit(world: World, auth: string): Octokit {
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  return new Octokit({ auth, baseUrl: `${world.github.url}/api/v3`, log: silent });
}

export function appJwt(app: App, privateKey: string, claims: Record<string, unknown> = {}): string {
  const now = Math.floor(Date.now() / 1000);
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const head = encode({ alg: "RS256", typ: "JWT" });
  const body = encode({ iat: now - 30, exp: now + 540, iss: app.id, ...claims });
  const signature = sign("RSA-SHA256", Buffer.from(`${head}.${body}`), createPrivateKey(privateKey));
  return `${head}.${body}.${signature.toString("base64url")}`;
}

/** Opens a pull request as the App and returns what Octokit needs to name it. */
export async function openFrom(
  playground: Playground,
  head: string,
  base = "main",
  more: { readonly draft?: boolean; readonly body?: string } = {},
) {
  const wish = { ...playground.at, title: head, head, base, ...more };
  const { data } = await playground.asInstallation().pulls.create(wish);
  return { ...playground.at, pull_number: data.number };
}

/** Actions of one event so far. */
export function actionsOf(playground: Playground, event: string): string[] {
  return playground.changes.filter((change) => change.event === event).map((change) => String(change.action));
}

/** Branch rules that ask for nothing but what is given. */
export function rules(wanted: Partial<Protection>): Protection {
  return {
    requiredChecks: [],
    strict: false,
    requiredApprovals: 0,
    dismissStaleReviews: false,
    codeOwnerReviews: false,
    mergeQueue: false,
    linearHistory: false,
    ...wanted,
  };
}

/** Status and first words of a refusal, as a caller sees them. */
export async function refusalOf(call: Promise<unknown>): Promise<{ status: number; message: string }> {
  try {
    await call;
  } catch (problem) {
    const { status, message, response } = problem as {
      status: number;
      message: string;
      response?: {
        data?: {
          message?: string;
          errors?: (string | { message?: string; field?: string; code?: string })[];
        };
      };
    };
    const detail = (response?.data?.errors ?? []).map((one) =>
      typeof one === "string" ? one : (one.message ?? `${one.field} ${one.code}`),
    );
    return { status, message: [response?.data?.message ?? message, ...detail].join(": ") };
  }
  throw new Error("This call was expected to be refused.");
}
