import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { changeInstalledRepositories } from "../../playground/model/apps/change-installed-repositories.ts";
import { createApp } from "../../playground/model/apps/create-app.ts";
import { registerManifest } from "../../playground/model/apps/register-manifest.ts";
import { suspend } from "../../playground/model/apps/suspend.ts";
import { uninstall } from "../../playground/model/apps/uninstall.ts";
import { aPlayground, appJwt, type Playground, refusalOf } from "./a-playground.ts";

let playground: Playground;
beforeEach(async () => {
  playground = await aPlayground();
});
afterEach(async () => {
  const { problems, world } = playground;
  await playground.close();
  expect(problems).toEqual([]);
  expect(world.unknownPaths).toEqual([]);
});

describe("an App", () => {
  it("finds itself and its installations with its own signature", async () => {
    const octokit = playground.asApp();
    const { data: app } = await octokit.apps.getAuthenticated();
    expect(app?.slug).toBe("loom");
    const { data: installations } = await octokit.apps.listInstallations();
    expect(installations.map((one) => one.id)).toEqual([playground.installation.id]);
    const { data: there } = await octokit.apps.getRepoInstallation(playground.at);
    expect(there.id).toBe(playground.installation.id);
    const { data: one } = await octokit.apps.getInstallation({ installation_id: there.id });
    expect(one.app_slug).toBe("loom");
  });

  it("is refused with a signature of another key, an old one, or one for too long", async () => {
    const { app, privateKey } = playground;
    const other = createApp(playground.world, { name: "Other", owner: "eve", permissions: {}, events: [] });
    const now = Math.floor(Date.now() / 1000);
    const forged = playground.withToken(appJwt(app, other.privateKey ?? ""));
    expect(await refusalOf(forged.apps.getAuthenticated())).toEqual({
      status: 401,
      message: "Bad credentials",
    });
    const old = playground.withToken(appJwt(app, privateKey, { iat: now - 700, exp: now - 100 }));
    expect((await refusalOf(old.apps.getAuthenticated())).status).toBe(401);
    const long = playground.withToken(appJwt(app, privateKey, { exp: now + 3600 }));
    expect((await refusalOf(long.apps.getAuthenticated())).message).toContain("too far in the future");
  });

  it("mints a long token for one repository and fewer permissions, good for an hour", async () => {
    const { data } = await playground.asApp().apps.createInstallationAccessToken({
      installation_id: playground.installation.id,
      repository_ids: [playground.repository.id],
      permissions: { issues: "read" },
    });
    expect(data.token).toMatch(new RegExp(`^ghs_${playground.app.id}_[\\w-]+\\.[\\w-]+\\.[\\w-]+$`));
    expect(data.token.length).toBeGreaterThan(500);
    expect(data.permissions).toEqual({ issues: "read", metadata: "read" });
    expect(data.repositories?.map((one) => one.full_name)).toEqual(["ada/tools"]);
    expect(data.expires_at).toBe("2026-11-01T11:00:00Z");
  });

  it("can't mint more than its installation has", async () => {
    const octokit = playground.asApp();
    const installation_id = playground.installation.id;
    const secret = await playground.addRepository({ name: "secret", private: true });
    expect(
      await refusalOf(
        octokit.apps.createInstallationAccessToken({ installation_id, permissions: { workflows: "write" } }),
      ),
    ).toEqual({ status: 422, message: "The permissions requested are not granted to this installation." });
    expect(
      await refusalOf(
        octokit.apps.createInstallationAccessToken({ installation_id, repository_ids: [secret.id] }),
      ),
    ).toEqual({
      status: 422,
      message:
        "There is at least one repository that does not exist or is not accessible to the parent installation.",
    });
    expect(
      (
        await refusalOf(
          octokit.apps.createInstallationAccessToken({ installation_id, repositories: ["nowhere"] }),
        )
      ).status,
    ).toBe(422);
  });
});

describe("an App made from a manifest", () => {
  it("gets its key once, for a code that works once", async () => {
    const { world } = playground;
    const manifest = {
      name: "Made here",
      hook_attributes: { url: "http://127.0.0.1:9/hook" },
      default_permissions: { issues: "write" as const },
      default_events: ["issues"],
    };
    const code = registerManifest(world, { by: "ada", manifest });
    const octokit = playground.as("ada");
    const { data } = await octokit.apps.createFromManifest({ code });
    expect([data.slug, data.permissions, data.events]).toEqual([
      "made-here",
      { metadata: "read", issues: "write" },
      ["issues"],
    ]);
    const app = world.github.apps.find((one) => one.id === data.id);
    if (!app) throw new Error("The App was not made.");
    expect(data.webhook_secret).toBe(app.webhookSecret);
    const self = await playground.withToken(appJwt(app, data.pem)).apps.getAuthenticated();
    expect(self.data?.id).toBe(data.id);
    expect((await refusalOf(octokit.apps.createFromManifest({ code }))).status).toBe(404);
  });
});

describe("a token of an installation", () => {
  it("ends when it is given back", async () => {
    const octokit = playground.asInstallation();
    await octokit.apps.revokeInstallationAccessToken();
    expect((await refusalOf(octokit.repos.get(playground.at))).status).toBe(401);
  });

  it("does only what it was minted for", async () => {
    const octokit = playground.asInstallation({ permissions: { issues: "read" } });
    await octokit.issues.listForRepo(playground.at);
    expect(await refusalOf(octokit.issues.create({ ...playground.at, title: "No" }))).toEqual({
      status: 403,
      message: "Resource not accessible by integration",
    });
    expect((await refusalOf(octokit.pulls.list(playground.at))).status).toBe(403);
  });

  it("sees no repository that it was not minted for, and loses one that is taken away", async () => {
    const other = await playground.addRepository({ name: "other" });
    changeInstalledRepositories(playground.world, playground.installation, { add: [other.id] });
    const octokit = playground.asInstallation({ repositories: [playground.repository.id] });
    expect((await octokit.apps.listReposAccessibleToInstallation()).data.total_count).toBe(1);
    expect(await refusalOf(octokit.repos.get({ owner: "ada", repo: "other" }))).toEqual({
      status: 404,
      message: "Not Found",
    });
    const wide = playground.asInstallation();
    expect((await wide.repos.get({ owner: "ada", repo: "other" })).data.name).toBe("other");
    changeInstalledRepositories(playground.world, playground.installation, { remove: [other.id] });
    expect((await refusalOf(wide.repos.get({ owner: "ada", repo: "other" }))).status).toBe(404);
  });

  it("expires after an hour", async () => {
    const octokit = playground.asInstallation();
    playground.step(59 * 60_000);
    await octokit.repos.get(playground.at);
    playground.step(61_000);
    expect(await refusalOf(octokit.repos.get(playground.at))).toEqual({
      status: 401,
      message: "Bad credentials",
    });
  });

  it("is of no use while the installation is suspended, nor after it is gone", async () => {
    const octokit = playground.asInstallation();
    const installation_id = playground.installation.id;
    suspend(playground.world, playground.installation);
    expect(await refusalOf(octokit.repos.get(playground.at))).toEqual({
      status: 403,
      message: "This installation has been suspended",
    });
    const mint = () => playground.asApp().apps.createInstallationAccessToken({ installation_id });
    expect((await refusalOf(mint())).status).toBe(403);
    uninstall(playground.world, playground.installation);
    expect((await refusalOf(octokit.repos.get(playground.at))).status).toBe(401);
    expect((await refusalOf(mint())).status).toBe(404);
    expect(
      playground.changes.filter((change) => change.event === "installation").map((change) => change.action),
    ).toEqual(["created", "suspend", "deleted"]);
  });
});
