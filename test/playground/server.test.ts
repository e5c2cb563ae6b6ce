import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { createAppAuth } from "@octokit/auth-app";
import { Octokit } from "@octokit/rest";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createWebhookValidator } from "../../playground/hooks/webhook-validator.ts";
import { install } from "../../playground/model/apps/install.ts";
import { openIssue } from "../../playground/model/issues/open-issue.ts";
import { createRepository } from "../../playground/model/people/create-repository.ts";
import type { Installation, Issue, Repository } from "../../playground/model/types.ts";
import {
  type AppCredentials,
  type Playground,
  registerApp,
  startPlayground,
} from "../../playground/server.ts";
import { APP_KEY } from "../support/app-key.ts";
import { type Receiver, startReceiver } from "./webhook-receiver.ts";

const run = promisify(execFile);
const validate = createWebhookValidator();
const PERMISSIONS = { contents: "write", issues: "write", pull_requests: "write", checks: "write" } as const;
const EVENTS = ["issues", "issue_comment", "pull_request", "push", "check_suite", "create"];
const PATH_OF_COMMENTS = "/repos/{owner}/{repo}/issues/{issue_number}/comments";

let root: string;
let playground: Playground;
let receiver: Receiver;
let credentials: AppCredentials;
let repository: Repository;
let installation: Installation;
let issue: Issue;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "playground-server-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

beforeEach(async () => {
  receiver = await startReceiver();
  playground = await startPlayground({ inspectWebhook: validate });
  const { world } = playground;
  const gitDir = playground.gitDir("acme", "app");
  repository = await createRepository(world, {
    owner: "acme",
    name: "app",
    private: true,
    gitDir,
    files: { "a.txt": "a\n" },
  });
  const webhookUrl = `${receiver.url}/api/github/webhooks`;
  credentials = registerApp(world, {
    webhookUrl,
    permissions: PERMISSIONS,
    events: EVENTS,
    keys: APP_KEY,
  });
  installation = install(world, credentials.app, { account: "acme" });
  issue = openIssue(world, repository, { by: "acme", title: "Please" });
  await playground.hooks.whenDelivered();
  receiver.received.length = 0;
  return async () => {
    expect(playground.errors).toEqual([]);
    await playground.close();
    await receiver.close();
  };
});

const asApp = (): Octokit =>
  new Octokit({
    baseUrl: playground.apiUrl,
    log: { debug() {}, info() {}, warn: console.warn, error() {} },
    authStrategy: createAppAuth,
    auth: {
      appId: credentials.appId,
      privateKey: credentials.privateKeyPem,
      installationId: installation.id,
    },
  });

async function mint(): Promise<string> {
  const { data } = await asApp().rest.apps.createInstallationAccessToken({
    installation_id: installation.id,
    repository_ids: [repository.id],
    permissions: { contents: "write" },
  });
  return data.token;
}

async function git(cwd: string, ...args: string[]): Promise<{ code: number; text: string }> {
  const who = { NAME: "Ann", EMAIL: "ann@example.com" };
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? "",
    HOME: root,
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
  };
  for (const [key, value] of Object.entries(who))
    env[`GIT_AUTHOR_${key}`] = env[`GIT_COMMITTER_${key}`] = value;
  try {
    const { stdout, stderr } = await run("git", args, { cwd, env });
    return { code: 0, text: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, text: stdout + stderr };
  }
}

/** A clone with a commit on `topic` that waits to be pushed. */
async function aClone(token: string): Promise<string> {
  const folder = mkdtempSync(join(root, "clone-"));
  const address = `${playground.url.replace("//", `//x-access-token:${token}@`)}/acme/app.git`;
  expect(await git(folder, "clone", "--quiet", address, ".")).toMatchObject({ code: 0 });
  await git(folder, "checkout", "--quiet", "-b", "topic");
  writeFileSync(join(folder, "b.txt"), "b\n");
  await git(folder, "add", "--all");
  await git(folder, "commit", "--quiet", "-m", "Add b");
  return folder;
}

const at = { owner: "acme", repo: "app" };

describe("the playground", () => {
  it("joins the API, git and webhooks: an App mints, pushes, opens a pull request and hears of it", async () => {
    const folder = await aClone(await mint());
    expect(await git(folder, "push", "--quiet", "origin", "topic")).toMatchObject({ code: 0 });
    const api = asApp();
    const { data: pull } = await api.rest.pulls.create({
      ...at,
      title: "Add b",
      head: "topic",
      base: "main",
    });
    await api.rest.issues.createComment({ ...at, issue_number: pull.number, body: "Done" });
    await playground.hooks.whenDelivered();
    expect(receiver.names()).toEqual([
      "create",
      "push",
      "check_suite requested",
      "pull_request opened",
      "issue_comment created",
    ]);
    expect(receiver.received.at(-1)?.payload).toMatchObject({
      comment: {
        user: { login: "loom[bot]", type: "Bot" },
        performed_via_github_app: { id: credentials.appId },
      },
      sender: { login: "loom[bot]" },
    });
    expect(pull.head.sha).toBe((await git(folder, "rev-parse", "HEAD")).text.trim());
  });

  it("serves pages, and says so where there is nothing", async () => {
    const home = await fetch(playground.url);
    expect([home.status, home.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const nothing = await fetch(`${playground.url}/no/such/thing`);
    expect([nothing.status, await nothing.text()]).toEqual([404, "There is nothing at this address.\n"]);
  });

  it("sends a failed webhook again when the App asks through the API", async () => {
    receiver.answer = () => 500;
    const api = asApp();
    await api.rest.issues.createComment({ ...at, issue_number: issue.number, body: "one" });
    await playground.hooks.whenDelivered();
    receiver.answer = () => 202;
    const { data: deliveries } = await api.rest.apps.listWebhookDeliveries();
    const failed = deliveries.filter(({ status_code }) => status_code === 500);
    expect(failed).toHaveLength(1);
    await api.rest.apps.redeliverWebhookDelivery({ delivery_id: failed[0]?.id ?? 0 });
    await playground.hooks.whenDelivered();
    expect(receiver.received.map(({ guid }) => guid)).toEqual([failed[0]?.guid, failed[0]?.guid]);
  });

  it("listens on one address of this machine only", async () => {
    const port = Number(new URL(playground.url).port);
    const reach = (address: string): Promise<boolean> =>
      new Promise((resolve) => {
        const socket = connect(port, address);
        socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
        socket.once("connect", () => socket.destroy());
      });
    // All of 127.0.0.0/8 is this machine: a server on every address would answer there, too.
    expect([await reach("127.0.0.1"), await reach("127.0.0.2")]).toEqual([true, false]);
  });

  it("closes although requests and webhooks hang, frees its port and takes its folder away", async () => {
    const other = await startPlayground();
    const until = new Promise(() => {});
    const { whenFired } = other.faults.inject({
      on: "request",
      match: { path: /^\/$/ },
      effect: { kind: "delay", until },
    });
    const hanging = fetch(other.url).catch(() => "cut");
    await whenFired;
    const folder = dirname(dirname(other.gitDir("a", "b")));
    expect(existsSync(folder)).toBe(true);
    await other.close();
    expect(await hanging).toBe("cut");
    expect(existsSync(folder)).toBe(false);
    const again = await startPlayground({ port: Number(new URL(other.url).port) });
    await again.close();
  });
});

describe("faults between an App and the playground", () => {
  it("let a comment be written though the answer was 502", async () => {
    const { faults } = playground;
    faults.inject({
      on: "request",
      match: { method: "POST", route: PATH_OF_COMMENTS },
      effect: { kind: "fail-after-applying", status: 502 },
    });
    const comment = asApp().rest.issues.createComment({ ...at, issue_number: issue.number, body: "once" });
    await expect(comment).rejects.toMatchObject({ status: 502 });
    expect(issue.comments.map(({ body }) => body)).toEqual(["once"]);
    expect(faults.unfired()).toEqual([]);
  });

  it("let a push arrive though git was told that it failed", async () => {
    const folder = await aClone(await mint());
    playground.faults.inject({
      on: "request",
      match: { path: /\/git-receive-pack$/ },
      effect: { kind: "fail-after-applying", status: 502 },
    });
    const { code, text } = await git(folder, "push", "--quiet", "origin", "topic");
    expect([code, text.includes("502")]).toEqual([1, true]);
    const head = (await git(folder, "rev-parse", "HEAD")).text.trim();
    expect(await playground.world.git.tip(repository.gitDir, "topic")).toBe(head);
    await playground.hooks.whenDelivered();
    expect(receiver.names()).toContain("push");
    expect(await git(folder, "push", "origin", "topic")).toMatchObject({ code: 0 });
  });

  it("end a token in the middle of things; a new one works", async () => {
    const folder = await aClone(await mint());
    playground.faults.expireTokens();
    const { code, text } = await git(folder, "push", "origin", "topic");
    expect([code, text.includes("Authentication failed")]).toEqual([128, true]);
    const address = `${playground.url.replace("//", `//x-access-token:${await mint()}@`)}/acme/app.git`;
    expect(await git(folder, "push", address, "topic")).toMatchObject({ code: 0 });
  });

  it("answer with a secondary limit that Octokit understands", async () => {
    playground.faults.inject({
      on: "request",
      match: { method: "POST", route: PATH_OF_COMMENTS },
      effect: { kind: "rate-limit", secondary: true, retryAfter: 3 },
    });
    const comment = asApp().rest.issues.createComment({ ...at, issue_number: issue.number, body: "never" });
    await expect(comment).rejects.toMatchObject({
      status: 403,
      response: { headers: { "retry-after": "3" } },
    });
    expect(issue.comments).toEqual([]);
  });
});
