import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Repository } from "../../model/types.ts";
import type { World } from "../../model/world.ts";
import { announce, answerRefs, fetchCapabilities, pushRefs } from "./advertise.ts";
import { authorizeGit, type GitActor } from "./authorize-git.ts";
import { readBody } from "./read-body.ts";
import { receivePack } from "./receive-pack.ts";
import { runUploadPack } from "./run-upload-pack.ts";

const PATH = /^\/([^/]+)\/([^/]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/;
const LARGEST_PUSH = 256 * 1024 * 1024;
const LARGEST_QUESTION = 64 * 1024 * 1024;

/** Git over smart HTTP below `/<owner>/<repo>.git/`. False when the address is none of it. */
export async function serveGit(world: World, req: IncomingMessage, res: ServerResponse): Promise<boolean> {
  const address = new URL(req.url ?? "/", "http://localhost");
  const match = PATH.exec(address.pathname);
  if (!match) return false;
  const [, owner = "", name = "", path = ""] = match;
  const isRefs = path === "info/refs";
  if (req.method !== (isRefs ? "GET" : "POST")) {
    answer(res, 405, "Method not allowed");
    return true;
  }
  const service = isRefs ? address.searchParams.get("service") : path;
  if (service !== "git-upload-pack" && service !== "git-receive-pack") {
    answer(res, 403, "Please upgrade your git client.\nGitHub.com no longer supports git over dumb-http.");
    return true;
  }
  const repository = findRepository(world, owner, name);
  const wish = service === "git-receive-pack" ? "write" : "read";
  const access = authorizeGit(world, req.headers.authorization, repository, wish);
  const actor = access.kind === "granted" ? access.actor.login || "anonymous" : "anonymous";
  recordRequest(world, req, res, { path: address.pathname, actor });
  if (access.kind === "refused") {
    if (access.status === 401) res.setHeader("www-authenticate", 'Basic realm="GitHub"');
    answer(res, access.status, access.message);
  } else if (repository && path === "git-receive-pack") {
    await servePush(world, repository, access.actor, req, res);
  } else if (repository) {
    await serveFetch(repository.gitDir, isRefs ? service : null, req, res);
  }
  return true;
}

/** Also what a push begins with: the refs that there are. */
async function serveFetch(
  gitDir: string,
  asksFor: "git-upload-pack" | "git-receive-pack" | null,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const protocol = req.headers["git-protocol"]?.toString() ?? "";
  const isSecond = protocol.split(":").includes("version=2");
  const head = (type: string): ServerResponse =>
    res.writeHead(200, { "content-type": type, "cache-control": "no-cache" });
  if (asksFor !== null) {
    const type = `application/x-${asksFor}-advertisement`;
    if (asksFor === "git-receive-pack") {
      const refs = await pushRefs(gitDir);
      head(type).end(Buffer.concat([announce(asksFor), refs]));
    } else if (isSecond) head(type).end(Buffer.concat([announce(asksFor), fetchCapabilities()]));
    else {
      head(type).write(announce(asksFor));
      await runUploadPack({ gitDir, protocol, body: null }, res);
    }
    return;
  }
  const body = await readSent(req, LARGEST_QUESTION);
  if (body === null) return answer(res, 413, "The question is too large.");
  const refs = isSecond ? await answerRefs(gitDir, body) : null;
  const type = "application/x-git-upload-pack-result";
  if (refs !== null) head(type).end(refs);
  else {
    res.setHeader("content-type", type).setHeader("cache-control", "no-cache");
    await runUploadPack({ gitDir, protocol, body }, res);
  }
}

/** What was sent, unpacked; null when it is larger than allowed. */
async function readSent(req: IncomingMessage, most: number): Promise<Buffer | null> {
  const sent = await readBody(req, most);
  const zipped = req.headers["content-encoding"]?.includes("gzip") ?? false;
  return sent !== null && zipped ? await promisify(gunzip)(sent, { maxOutputLength: most }) : sent;
}

async function servePush(
  world: World,
  repository: Repository,
  actor: GitActor,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const body = await readSent(req, LARGEST_PUSH);
  if (body === null) return answer(res, 413, "The push is too large.");
  const result = await receivePack(world, repository, actor, body);
  res.writeHead(200, {
    "content-type": "application/x-git-receive-pack-result",
    "cache-control": "no-cache",
  });
  res.end(result);
}

function findRepository(world: World, owner: string, name: string): Repository | null {
  const wanted = `${owner}/${name}`.toLowerCase();
  return world.github.repositories.find((one) => `${one.owner}/${one.name}`.toLowerCase() === wanted) ?? null;
}

function recordRequest(
  world: World,
  req: IncomingMessage,
  res: ServerResponse,
  { path, actor }: { readonly path: string; readonly actor: string },
): void {
  const at = world.clock.now();
  const record = {
    at,
    method: req.method ?? "GET",
    path,
    route: null,
    actor,
    status: 0,
    createsContent: false,
  };
  world.github.requests.push(record);
  const note = (): void => {
    record.status = res.statusCode;
  };
  res.once("finish", note).once("close", note);
}

function answer(res: ServerResponse, status: number, message: string): void {
  res.writeHead(status, { "content-type": "text/plain; charset=utf-8" }).end(`${message}\n`);
}
