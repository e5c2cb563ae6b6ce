import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { roleOf } from "../model/people/role.ts";
import { Refusal } from "../model/refusal.ts";
import type { World } from "../model/world.ts";
import { userPage } from "./home-page.ts";
import { html } from "./html.ts";
import { watchTimeline } from "./issues/watch-timeline.ts";
import { icon } from "./parts/icons.ts";
import { layout } from "./parts/layout.ts";
import { readForm } from "./read-form.ts";
import { REPOSITORY_ROUTES, SITE_ROUTES } from "./routes.ts";
import { serveAsset } from "./serve-asset.ts";
import { readViewer, viewerCookie } from "./viewer.ts";
import { type Answer, page, type RepositoryVisit, type Visit } from "./visit.ts";

const POLICY =
  "default-src 'self'; img-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

type Task = { readonly visit: Visit | RepositoryVisit; readonly run: () => Answer | Promise<Answer> };

/** Answers what a browser asks for. False when the address is no page, so that others may look at it. */
export async function servePages(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const { method } = request;
  if (method !== "GET" && method !== "HEAD" && method !== "POST") return false;
  const url = readUrl(request);
  if (url === null) return false;
  if (method !== "POST" && serveAsset(url, response)) return true;
  watchTimeline(world);
  const viewer = readViewer(world, request);
  const task = findTask(
    { world, url, viewer, form: new URLSearchParams() },
    method === "POST" ? "POST" : "GET",
  );
  if (task === null) return false;

  try {
    if (method === "POST") {
      refuseForeign(request);
      const form = await readForm(request);
      const again = findTask({ world, url, viewer, form }, "POST");
      if (again !== null) send(request, response, again.visit, await again.run());
    } else send(request, response, task.visit, await task.run());
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const seen = viewOf(task.visit);
    send(request, response, seen, refusalPage(error));
  }
  return true;
}

function findTask(visit: Visit, method: "GET" | "POST"): Task | null {
  const { world, viewer, url } = visit;
  const path = url.pathname === "/" ? "/" : url.pathname.replace(/\/$/, "");
  for (const route of SITE_ROUTES) {
    const found = route.method === method ? route.path.exec(path) : null;
    if (found !== null) return { visit, run: () => route.answer(visit, ...decoded(found)) };
  }
  const [, owner = "", name, rest = ""] = /^\/([^/]+)(?:\/([^/]+)(.*))?$/.exec(path) ?? [];
  const login = decode(owner);
  if (name === undefined) {
    const known = method === "GET" && world.github.users.has(login);
    return known ? { visit, run: () => userPage(visit, login) } : null;
  }
  const wanted = `${login}/${decode(name)}`.toLowerCase();
  const repository = world.github.repositories.find(
    (one) => `${one.owner}/${one.name}`.toLowerCase() === wanted,
  );
  if (repository === undefined) return null;
  const role = roleOf(world, repository, viewer);
  // A private repository does not exist for those who may not read it.
  if (role === "none") return { visit, run: () => refusalPage(new Refusal(404, "Not Found")) };
  const inside: RepositoryVisit = {
    ...visit,
    repository,
    role,
    home: `/${repository.owner}/${repository.name}`,
  };
  for (const route of REPOSITORY_ROUTES) {
    const found = route.method === method ? route.path.exec(rest) : null;
    if (found !== null) return { visit: inside, run: () => route.answer(inside, ...decoded(found)) };
  }
  return method === "GET" ? { visit: inside, run: () => refusalPage(new Refusal(404, "Not Found")) } : null;
}

/** After a refused form the page must not offer to come back to the form's own address. */
function viewOf<V extends Visit>(visit: V): V {
  return visit.form.size === 0 ? visit : { ...visit, url: new URL("/", visit.url) };
}

function refusalPage(refusal: Refusal): Answer {
  const reasons = [
    ...refusal.errors.map(
      (problem) => problem.message ?? `${problem.field}: ${problem.code.replaceAll("_", " ")}`,
    ),
    ...refusal.sentences,
  ];
  const [title, sentence] =
    refusal.status === 404
      ? ["Not found", "There is nothing at this address, or this account may not see it."]
      : ["That did not work", reasons.length > 0 ? reasons.join(" ") : refusal.message];
  const body = html`<div class="flash bad" role="alert">${icon("alert")} <p><strong>${title}.</strong> ${sentence}</p></div><p><a href="/">All repositories</a></p>`;
  return page(title, body, refusal.status);
}

function send(request: IncomingMessage, response: ServerResponse, visit: Visit, answer: Answer): void {
  response.setHeader("content-security-policy", POLICY);
  response.setHeader("x-content-type-options", "nosniff");
  response.setHeader("referrer-policy", "same-origin");
  response.setHeader("cache-control", "no-cache");
  switch (answer.kind) {
    case "go": {
      if (answer.viewer !== undefined) response.setHeader("set-cookie", viewerCookie(answer.viewer));
      response.writeHead(303, { location: answer.to }).end();
      return;
    }
    case "file": {
      response.setHeader("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox");
      response.writeHead(200, { "content-type": answer.type, "content-length": answer.bytes.byteLength });
      response.end(request.method === "HEAD" ? undefined : answer.bytes);
      return;
    }
    case "page": {
      const text = layout(visit, answer.title, answer.body).markup;
      const tag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 27)}"`;
      response.setHeader("etag", tag);
      response.setHeader("vary", "cookie");
      if (request.headers["if-none-match"] === tag) {
        response.writeHead(304).end();
        return;
      }
      response.writeHead(answer.status ?? 200, { "content-type": "text/html; charset=utf-8" });
      response.end(request.method === "HEAD" ? undefined : text);
    }
  }
}

/** Another site's page must not press our buttons. Browsers always say where a form comes from. */
function refuseForeign(request: IncomingMessage): void {
  const { origin, host } = request.headers;
  const site = request.headers["sec-fetch-site"];
  const foreign = origin !== undefined && origin !== `http://${host}`;
  if (foreign || (site !== undefined && site !== "same-origin" && site !== "none")) {
    throw new Refusal(403, "This form was sent from another site. Open the page here and try again.");
  }
}

function readUrl(request: IncomingMessage): URL | null {
  try {
    return new URL(request.url ?? "/", "http://playground.invalid");
  } catch {
    return null;
  }
}

function decoded(found: RegExpExecArray): string[] {
  return found.slice(1).map((part) => decode(part ?? ""));
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
