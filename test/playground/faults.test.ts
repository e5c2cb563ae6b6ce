import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  createFaults,
  type Faults,
  type RequestEffect,
  type WebhookEffect,
} from "../../playground/faults.ts";
import { createModelGit } from "../../playground/git/model-git.ts";
import { type Hooks, startHooks } from "../../playground/hooks/start-hooks.ts";
import { type Listening, listen } from "../../playground/listen.ts";
import { createApp } from "../../playground/model/apps/create-app.ts";
import { install } from "../../playground/model/apps/install.ts";
import { mintToken, mintUserToken } from "../../playground/model/apps/mint-token.ts";
import { openIssue } from "../../playground/model/issues/open-issue.ts";
import { createRepository } from "../../playground/model/people/create-repository.ts";
import type { Repository } from "../../playground/model/types.ts";
import { createWorld, type World } from "../../playground/model/world.ts";
import { serveWithFault } from "../../playground/serve-with-fault.ts";
import { type Receiver, SECRET, startReceiver } from "./webhook-receiver.ts";

const ISSUES = "/repos/{owner}/{repo}/issues";

let root: string;
let world: World;
let faults: Faults;
let now: number;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "playground-faults-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(() => {
  now = Date.UTC(2026, 0, 1);
  world = createWorld({ clock: { now: () => now }, git: createModelGit() });
  faults = createFaults(world);
});

/** A promise and the function that settles it. */
function gate(): { promise: Promise<void>; open: () => void } {
  let open = (): void => {};
  const promise = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}

describe("faults", () => {
  it("fire as often as told, the oldest that matches first", () => {
    const fail = (status: number, times?: number) =>
      faults.inject({
        on: "request",
        match: { method: "post", route: ISSUES },
        ...(times !== undefined && { times }),
        effect: { kind: "fail", status },
      });
    const [once, twice] = [fail(500), fail(502, 2)];
    const meet = (method: string, path: string) =>
      faults.meetRequest(method, `/api/v3${path}`)?.effect ?? null;
    expect(meet("GET", "/repos/a/b/issues")).toBeNull();
    expect(meet("POST", "/repos/a/b/issues/1")).toBeNull();
    expect(faults.meetRequest("POST", "/repos/a/b/issues")).toBeNull();
    expect(faults.unfired()).toEqual([once.fault, twice.fault]);
    const met = [1, 2, 3, 4].map(() => meet("POST", "/repos/a/b/issues"));
    expect(met).toMatchObject([{ status: 500 }, { status: 502 }, { status: 502 }, null]);
    expect([once.fired, twice.fired]).toEqual([1, 2]);
    expect(faults.unfired()).toEqual([]);
  });

  it("match routes whose last part takes slashes, and any path by a pattern", () => {
    const effect = { kind: "hang-up" } as const;
    faults.inject({ on: "request", match: { route: "/repos/{owner}/{repo}/git/refs/{ref}" }, effect });
    expect(faults.meetRequest("DELETE", "/api/v3/repos/a/b/git/refs/heads/loom/x")?.effect).toEqual(effect);
    faults.inject({ on: "request", match: { path: /git-receive-pack$/ }, effect });
    expect(faults.meetRequest("POST", "/a/b.git/git-upload-pack")).toBeNull();
    expect(faults.meetRequest("POST", "/a/b.git/git-receive-pack")?.effect).toEqual(effect);
  });

  it("can be taken back", () => {
    const one = faults.inject({ on: "webhook", event: "push", effect: { kind: "drop" } });
    one.remove();
    expect(faults.meetWebhook("push", null)).toBeNull();
    faults.inject({ on: "webhook", event: "push", effect: { kind: "drop" } });
    faults.clear();
    expect([faults.meetWebhook("push", null), faults.list]).toEqual([null, []]);
  });

  it("end tokens, all or some", async () => {
    const gitDir = join(root, "tokens.git");
    const repository = await createRepository(world, { owner: "acme", name: "tokens", gitDir });
    const { app } = createApp(world, {
      name: "L",
      owner: "acme",
      permissions: {},
      events: [],
      publicKey: "none",
    });
    const token = mintToken(world, install(world, app, { account: repository.owner }));
    const mine = mintUserToken(world, "ann");
    expect(faults.expireTokens(({ owner }) => owner.kind === "installation")).toBe(1);
    expect([token.expiresAt, mine.expiresAt > now]).toEqual([now, true]);
    expect(faults.expireTokens()).toBe(1);
  });
});

describe("a request", () => {
  let server: Listening;
  let served: string[];

  beforeEach(async () => {
    served = [];
    server = await listen(0, async (req, res) => {
      const { pathname } = new URL(req.url ?? "/", "http://localhost");
      const plainly = async (request: typeof req, response: typeof res): Promise<void> => {
        let body = "";
        for await (const chunk of request) body += chunk;
        served.push(body);
        response.writeHead(201, { "content-type": "text/plain" }).end("done".repeat(10_000));
      };
      const fault = faults.meetRequest(req.method ?? "GET", pathname);
      if (fault === null) await plainly(req, res);
      else await serveWithFault(world, fault, req, res, plainly);
    });
    return async () => {
      await server.close();
      expect(server.errors).toEqual([]);
    };
  });

  const inject = (effect: RequestEffect, times?: number) =>
    faults.inject({
      on: "request",
      match: { method: "POST", route: ISSUES },
      effect,
      ...(times && { times }),
    });
  const post = (body = "hello", signal?: AbortSignal): Promise<Response> =>
    fetch(`${server.url}/api/v3/repos/a/b/issues`, { method: "POST", body, ...(signal && { signal }) });

  it("fails and nothing was done", async () => {
    inject({ kind: "fail", status: 503, headers: { "x-why": "test" }, body: { message: "Sorry" } });
    const answer = await post();
    expect([answer.status, answer.headers.get("x-why"), await answer.json()]).toEqual([
      503,
      "test",
      { message: "Sorry" },
    ]);
    expect(served).toEqual([]);
    expect(world.github.requests).toMatchObject([
      { method: "POST", path: "/repos/a/b/issues", route: `POST ${ISSUES}`, status: 503 },
    ]);
    expect((await post()).status).toBe(201);
  });

  it("fails although it was done", async () => {
    inject({ kind: "fail-after-applying", status: 502 });
    const answer = await post();
    expect([answer.status, served]).toEqual([502, ["hello"]]);
    await answer.text();
  });

  it("waits for a signal, or a time", async () => {
    const { promise, open } = gate();
    const { whenFired } = inject({ kind: "delay", until: promise });
    const answer = post();
    await whenFired;
    expect(served).toEqual([]);
    open();
    expect((await answer).status).toBe(201);
    inject({ kind: "delay", ms: 20 });
    const start = performance.now();
    expect((await post("later")).status).toBe(201);
    expect(performance.now() - start).toBeGreaterThan(15);
    expect(served).toEqual(["hello", "later"]);
  });

  it("that waits is forgotten when its client goes away", async () => {
    const { promise, open } = gate();
    const { whenFired } = inject({ kind: "delay", until: promise });
    const leaving = new AbortController();
    const answer = post("never", leaving.signal);
    await whenFired;
    leaving.abort();
    await expect(answer).rejects.toThrow();
    await server.close();
    open();
    expect(served).toEqual([]);
  });

  it("is cut off, before or after it was done", async () => {
    inject({ kind: "hang-up" });
    await expect(post("one")).rejects.toThrow();
    expect(served).toEqual([]);
    inject({ kind: "hang-up", afterApplying: true });
    await expect(post("two")).rejects.toThrow();
    expect(served).toEqual(["two"]);
  });

  it("meets a limit, with what GitHub says then", async () => {
    inject({ kind: "rate-limit", secondary: true, retryAfter: 7 });
    const second = await post();
    expect([second.status, second.headers.get("retry-after")]).toEqual([403, "7"]);
    expect(((await second.json()) as { message: string }).message).toContain("secondary rate limit");
    inject({ kind: "rate-limit", secondary: false, retryAfter: 60 });
    const first = await post();
    expect([first.headers.get("x-ratelimit-remaining"), first.headers.get("x-ratelimit-reset")]).toEqual([
      "0",
      `${now / 1000 + 60}`,
    ]);
    expect(served).toEqual([]);
  });
});

describe("a webhook", () => {
  let receiver: Receiver;
  let hooks: Hooks;
  let repository: Repository;
  let count = 0;

  beforeEach(async () => {
    count += 1;
    receiver = await startReceiver();
    const gitDir = join(root, `hooks-${count}.git`);
    repository = await createRepository(world, { owner: "acme", name: "app", gitDir });
    const about = { name: "L", owner: "acme", permissions: {}, events: ["issues"], publicKey: "none" };
    const { app } = createApp(world, { ...about, webhookUrl: receiver.url, webhookSecret: SECRET });
    install(world, app, { account: "acme" });
    hooks = startHooks(world, faults);
    return async () => {
      await hooks.close();
      await receiver.close();
    };
  });

  const inject = (effect: WebhookEffect, times?: number) =>
    faults.inject({ on: "webhook", event: "issues", action: "opened", effect, ...(times && { times }) });
  const open = (title: string) => openIssue(world, repository, { by: "ann", title });
  const titles = () => receiver.received.map(({ payload }) => (payload.issue as { title: string }).title);

  it("is lost, noted as failed, and comes when it is sent again", async () => {
    inject({ kind: "drop" });
    open("one");
    open("two");
    await hooks.whenDelivered();
    expect(titles()).toEqual(["two"]);
    const [lost] = world.github.deliveries;
    expect(lost).toMatchObject({ statusCode: 502, redelivery: false });
    hooks.redeliver(lost?.id ?? 0);
    await hooks.whenDelivered();
    expect(titles()).toEqual(["two", "one"]);
    expect(receiver.received[1]?.guid).toBe(lost?.guid);
  });

  it("comes twenty times at once with one guid", async () => {
    inject({ kind: "duplicate", copies: 20 });
    const all = gate();
    let here = 0;
    // Nobody gets an answer before all have come: they must have been sent together.
    receiver.answer = async () => {
      here += 1;
      if (here === 20) all.open();
      await all.promise;
      return 202;
    };
    open("one");
    await hooks.whenDelivered();
    expect(receiver.received).toHaveLength(20);
    expect(new Set(receiver.received.map(({ guid }) => guid)).size).toBe(1);
    expect(receiver.received.every(({ genuine }) => genuine)).toBe(true);
    expect(world.github.deliveries).toHaveLength(20);
  });

  it("comes after the next one", async () => {
    inject({ kind: "reorder" });
    for (const title of ["one", "two", "three"]) open(title);
    await hooks.whenDelivered();
    expect(titles()).toEqual(["two", "one", "three"]);
  });

  it("that waits for a next one which never comes can be let go", async () => {
    inject({ kind: "reorder" });
    open("one");
    await hooks.whenDelivered();
    expect(titles()).toEqual([]);
    hooks.releaseHeld();
    await hooks.whenDelivered();
    expect(titles()).toEqual(["one"]);
  });

  it("comes later, and others overtake it", async () => {
    const { promise, open: letGo } = gate();
    inject({ kind: "delay", until: promise });
    open("one");
    open("two");
    await receiver.whenReceived("issues opened");
    expect(titles()).toEqual(["two"]);
    letGo();
    await hooks.whenDelivered();
    expect(titles()).toEqual(["two", "one"]);
  });

  it("that waits does not keep the playground from closing", async () => {
    const { whenFired } = inject({ kind: "delay", until: new Promise(() => {}) });
    open("one");
    await whenFired;
    await hooks.close();
    expect(world.github.deliveries).toEqual([]);
  });
});
