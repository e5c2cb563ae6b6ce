import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { openAppLog } from "../../src/app/open-app-log.ts";
import { readAppEnv, type ServerEnv } from "../../src/app/read-app-env.ts";
import { type SetUp, setUpApp } from "../../src/app/setup/set-up-app.ts";
import { joinEnvFile } from "../../src/wiring/settings/service-env-file.ts";
import { writeEnvFile } from "../../src/wiring/settings/write-env-file.ts";
import { PRIVATE_KEY } from "./app-world.ts";

const manifestFile = parse(await readFile(resolve(import.meta.dirname, "../../app.yml"), "utf8"));

let folder: string;
let github: Server;
let asked: string[];
let status: number;
let opened: SetUp[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "loom-setup-"));
  asked = [];
  status = 201;
  opened = [];
  // The one call of GitHub's that the manifest flow makes.
  github = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(status, { "content-type": "application/json" });
    response.end(
      JSON.stringify({
        id: 815,
        html_url: "https://github.test/apps/loom",
        pem: PRIVATE_KEY,
        webhook_secret: "chosen by GitHub",
        client_id: "c",
        client_secret: "d",
      }),
    );
  });
  await new Promise<void>((done) => github.listen(0, "127.0.0.1", done));
});

afterEach(async () => {
  for (const one of opened) await one.close();
  await new Promise((done) => github.close(done));
  await rm(folder, { recursive: true, force: true });
});

const logged: string[] = [];
const envFile = (): string => join(folder, "config", ".env");

async function open(env: Record<string, string> = {}, server: Partial<ServerEnv> = {}): Promise<SetUp> {
  const address = `http://127.0.0.1:${(github.address() as AddressInfo).port}`;
  const setUp = await setUpApp({
    server: { baseUrl: address, githubUrl: "https://github.test", port: 0, host: "127.0.0.1", ...server },
    env,
    envFile: envFile(),
    log: await openAppLog({
      ...{ format: "json", secrets: [], level: "warn" },
      write: (text) => void logged.push(text),
    }),
  });
  opened.push(setUp);
  return setUp;
}

const base = (setUp: SetUp): string => new URL(setUp.url).origin;
const keyOf = (setUp: SetUp): string => new URL(setUp.url).searchParams.get("key") ?? "";

async function get(url: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { redirect: "manual", headers });
}

/** What a browser would send to GitHub when the button is pressed. */
function formOf(html: string): { action: string; manifest: Record<string, unknown> } {
  const unescapeHtml = (text: string): string =>
    text
      .replaceAll("&quot;", '"')
      .replaceAll("&#39;", "'")
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&");
  const action = /<form method="post" action="([^"]*)"/.exec(html)?.[1] ?? "";
  const manifest = /name="manifest" value="([^"]*)"/.exec(html)?.[1] ?? "";
  return { action: unescapeHtml(action), manifest: JSON.parse(unescapeHtml(manifest)) };
}

describe("the set-up page", () => {
  it("sends GitHub a manifest with the permissions and events of app.yml", async () => {
    const setUp = await open();
    const response = await get(setUp.url);
    expect(response.status).toBe(200);
    const { action, manifest } = formOf(await response.text());
    expect(action).toBe(`https://github.test/settings/apps/new?state=${keyOf(setUp)}`);
    expect(manifest).toEqual({
      ...manifestFile,
      url: base(setUp),
      hook_attributes: { url: `${base(setUp)}/api/github/webhooks`, active: true },
      redirect_url: `${base(setUp)}/probot/setup`,
    });
  });

  it("shows on / as well", async () => {
    const setUp = await open();
    const { manifest } = formOf(await (await get(`${base(setUp)}/?key=${keyOf(setUp)}`)).text());
    expect(manifest.default_permissions).toEqual(manifestFile.default_permissions);
  });

  it("opens for nobody without the key from the terminal", async () => {
    const setUp = await open();
    for (const path of ["/", "/probot", "/probot?key=", `/probot?key=${"0".repeat(48)}`]) {
      const response = await get(base(setUp) + path);
      expect([path, response.status]).toEqual([path, 403]);
      const text = await response.text();
      expect(text).toContain("Open the address that it printed on its terminal.");
      expect(text).not.toContain(keyOf(setUp));
    }
    expect(logged.join("")).toContain('"boundary":"setup","rule":"secret"');
    expect(logged.join("")).not.toContain(keyOf(setUp));
  });

  it("uses the address that a proxy or LOOM_URL gives, and an organisation", async () => {
    const proxied = await open({ GH_ORG: "acme" });
    const headers = { "x-forwarded-proto": "https", "x-forwarded-host": "loom.example.test" };
    const form = formOf(await (await get(proxied.url, headers)).text());
    expect(form.action).toContain("https://github.test/organizations/acme/settings/apps/new?");
    expect(form.manifest.redirect_url).toBe("https://loom.example.test/probot/setup");

    const named = await open({
      LOOM_URL: "https://public.example.test/",
      WEBHOOK_PROXY_URL: "https://tunnel.test/x",
    });
    expect(named.url).toMatch(/^https:\/\/public\.example\.test\/probot\?key=/);
    const page = await get(`http://127.0.0.1:${named.port}/probot?key=${keyOf(named)}`);
    expect(formOf(await page.text()).manifest).toMatchObject({
      redirect_url: "https://public.example.test/probot/setup",
      hook_attributes: { url: "https://tunnel.test/x" },
    });
  });

  it("warns when GitHub could not send webhooks to where it is", async () => {
    const warned = "GitHub can&#39;t send webhooks to this address.";
    expect(await (await get((await open()).url)).text()).toContain(warned);
    const tunnelled = await open({ WEBHOOK_PROXY_URL: "https://tunnel.test/x" });
    expect(await (await get(tunnelled.url)).text()).not.toContain(warned);
    const playground = await open({}, { githubUrl: "http://127.0.0.1:4000" });
    expect(await (await get(playground.url)).text()).not.toContain(warned);
  });

  it("can't be broken by a hostile host name", async () => {
    const setUp = await open();
    const html = await (await get(setUp.url, { "x-forwarded-host": 'x"><script>alert(1)</script>' })).text();
    expect(html).not.toContain("<script>");
    expect(formOf(html).manifest.redirect_url).toBe("http://localhost/probot/setup");
  });

  it("has nothing at what is no address, and no error in the log", async () => {
    const setUp = await open();
    const before = logged.length;
    // `fetch` would take the second slash for a host.
    const status = await new Promise((resolve, reject) => {
      const { hostname, port } = new URL(setUp.url);
      request({ hostname, port, path: "//" }, (response) => resolve(response.resume().statusCode))
        .on("error", reject)
        .end();
    });
    expect([status, logged.slice(before)]).toEqual([404, []]);
  });

  it("says on the terminal what to do", async () => {
    const setUp = await open();
    expect(setUp.sentence).toBe(
      `There is no GitHub App yet. Open ${setUp.url} to register one; its key will be kept in ${envFile()}.`,
    );
  });

  it("is up but not ready", async () => {
    const setUp = await open();
    expect((await get(`${base(setUp)}/healthz`)).status).toBe(200);
    expect((await get(`${base(setUp)}/readyz`)).status).toBe(503);
    expect((await get(`${base(setUp)}/api/github/webhooks`)).status).toBe(404);
  });
});

describe("coming back from GitHub", () => {
  it("keeps the App's key where the next start finds it, for its owner only, and goes on to the installation", async () => {
    const setUp = await open();
    await writeFile(envFile(), "# mine\nREDIS_URL=redis://127.0.0.1:6379\n");
    const response = await get(`${base(setUp)}/probot/setup?code=abc123&state=${keyOf(setUp)}`);
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toBe("https://github.test/apps/loom/installations/new");
    expect(asked).toEqual(["POST /app-manifests/abc123/conversions"]);
    const saved = await setUp.registered;
    expect(saved.APP_ID).toBe("815");
    expect((await stat(envFile())).mode & 0o777).toBe(0o600);
    expect(await readFile(envFile(), "utf8")).toMatch(
      /^# mine\nREDIS_URL=redis:\/\/127\.0\.0\.1:6379\nAPP_ID=815\n/,
    );
    const { env } = await joinEnvFile({ LOOM_ENV_FILE: envFile() }, folder);
    expect(env.REDIS_URL).toBe("redis://127.0.0.1:6379");
    expect(readAppEnv(env)).toMatchObject({
      kind: "ready",
      env: { appId: 815, webhookSecret: "chosen by GitHub", privateKey: PRIVATE_KEY },
    });
    expect(readAppEnv(saved)).toEqual(readAppEnv(env));
  });

  it("takes no App that was not asked for here", async () => {
    const setUp = await open();
    for (const query of [
      "code=abc",
      "code=abc&state=",
      `code=abc&state=${"0".repeat(48)}`,
      `state=${keyOf(setUp)}`,
    ])
      expect((await get(`${base(setUp)}/probot/setup?${query}`)).status).toBe(403);
    expect(asked).toEqual([]);
  });

  it("takes one App only", async () => {
    const setUp = await open();
    const url = `${base(setUp)}/probot/setup?code=abc&state=${keyOf(setUp)}`;
    expect((await get(url)).status).toBe(303);
    expect((await get(url)).status).toBe(409);
    expect(asked).toHaveLength(1);
  });

  it("can be tried again when GitHub says no", async () => {
    const setUp = await open();
    status = 404;
    const url = `${base(setUp)}/probot/setup?code=stale&state=${keyOf(setUp)}`;
    const refused = await get(url);
    expect(refused.status).toBe(502);
    expect(await refused.text()).toContain("Start again.");
    status = 201;
    expect((await get(url)).status).toBe(303);
  });
});

it("finds out before GitHub is asked that the key can't be kept", async () => {
  await writeFile(join(folder, "config"), "a file where a folder is needed");
  await expect(open()).rejects.toThrow(
    `The App's key is to be kept in ${envFile()}, but that file can't be written.`,
  );
});

it("reads no variables from an env file that is not there, and the last of two that are", async () => {
  const read = async () => (await joinEnvFile({ LOOM_ENV_FILE: envFile() }, folder)).file.values;
  expect(await read()).toEqual({});
  await writeEnvFile(envFile(), { APP_ID: "1", GH_ORG: "two words" });
  await writeEnvFile(envFile(), { APP_ID: "3" });
  expect(await read()).toEqual({ APP_ID: "3", GH_ORG: "two words" });
});

it("completes what the process was given from the env file", async () => {
  await writeEnvFile(join(folder, ".env"), { APP_ID: "1", PORT: "2" });
  await writeEnvFile(envFile(), { APP_ID: "3" });
  expect(await joinEnvFile({ PORT: "4", APP_ID: "" }, folder)).toMatchObject({
    env: { APP_ID: "1", PORT: "4" },
    file: { path: join(folder, ".env"), warnings: [], refusal: null },
  });
  const named = { LOOM_ENV_FILE: "config/.env" };
  expect(await joinEnvFile(named, folder)).toMatchObject({
    env: { ...named, APP_ID: "3" },
    file: { path: envFile() },
  });
});
