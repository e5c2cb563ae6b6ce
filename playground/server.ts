import { mkdir, mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFaults, type Faults } from "./faults.ts";
import { createModelGit } from "./git/model-git.ts";
import { closeObjects } from "./git/objects/object-reader.ts";
import { serveGit } from "./git/serve/serve-git.ts";
import { serveGraphQl } from "./graph-ql/serve-graph-ql.ts";
import { type Hooks, startHooks } from "./hooks/start-hooks.ts";
import { listen } from "./listen.ts";
import type { Clock } from "./model/types.ts";
import { createWorld, type World } from "./model/world.ts";
import { servePages } from "./pages/serve-pages.ts";
import { serveRest } from "./rest/serve-rest.ts";
import { serveWithFault } from "./serve-with-fault.ts";

export { type AppCredentials, type AppRegistration, registerApp } from "./register-app.ts";

export type PlaygroundOptions = {
  /** Any free one when left out. */
  readonly port?: number;
  /** Where new bare repositories go; a temporary folder that `close` removes when left out. */
  readonly root?: string;
  readonly clock?: Clock;
  /** See each REST exchange and each webhook: tests validate them against GitHub's descriptions. */
  readonly inspect?: World["inspect"];
  readonly inspectWebhook?: Hooks["inspect"];
  /** How long an App may take to answer a webhook; GitHub gives 10 seconds. */
  readonly webhookTimeoutMs?: number;
};

export type Playground = {
  readonly url: string;
  /** The address for `GHE_HOST`-like settings and Octokit's `baseUrl`. */
  readonly apiUrl: string;
  readonly world: World;
  readonly faults: Faults;
  readonly hooks: Hooks;
  /** A path below `root` for a repository that is to be made. */
  gitDir(owner: string, name: string): string;
  /** What broke inside the look-alike itself; tests expect none. */
  readonly errors: readonly unknown[];
  close(): Promise<void>;
};

/** GitHub on localhost: git over HTTP, the REST API below `/api/v3`, what Loom asks of GraphQL, pages, and webhooks to the Apps registered in it. */
export async function startPlayground(options: PlaygroundOptions = {}): Promise<Playground> {
  const temporary = options.root === undefined ? await mkdtemp(join(tmpdir(), "playground-")) : null;
  const root = options.root ?? temporary ?? "";
  await mkdir(root, { recursive: true });
  const world = createWorld({ clock: options.clock ?? { now: () => Date.now() }, git: createModelGit() });
  world.inspect = options.inspect ?? null;
  const faults = createFaults(world);
  const { webhookTimeoutMs: timeoutMs } = options;
  const hooks = startHooks(world, faults, timeoutMs === undefined ? {} : { timeoutMs });
  hooks.inspect = options.inspectWebhook ?? null;
  const server = await listen(options.port ?? 0, (req, res) => serve(world, faults, req, res));
  world.github.url = server.url;
  return {
    url: server.url,
    apiUrl: `${server.url}/api/v3`,
    world,
    faults,
    hooks,
    gitDir: (owner, name) => join(root, owner, `${name}.git`),
    errors: server.errors,
    async close() {
      await hooks.close();
      await server.close();
      closeObjects(root);
      if (temporary !== null) await rm(temporary, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

async function serve(world: World, faults: Faults, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const path = pathOf(req);
  if (path === null) {
    res.writeHead(400, { "content-type": "text/plain" }).end("This address can't be read.\n");
    return;
  }
  const fault = faults.meetRequest(req.method ?? "GET", path);
  const plainly = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (await serveGit(world, request, response)) return;
    if (await serveRest(world, request, response)) return;
    if (await serveGraphQl(world, request, response)) return;
    if (await servePages(world, request, response)) return;
    request.resume();
    response.writeHead(404, { "content-type": "text/plain" }).end("There is nothing at this address.\n");
  };
  if (fault === null) await plainly(req, res);
  else await serveWithFault(world, fault, req, res, plainly);
}

function pathOf(req: IncomingMessage): string | null {
  try {
    return new URL(req.url ?? "/", "http://localhost").pathname;
  } catch {
    return null;
  }
}
