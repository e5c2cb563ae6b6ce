import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { judgeSettings } from "../../../src/core/drill/judge-settings.ts";
import { settingFacts } from "../../../src/wiring/settings/drill-settings.ts";
import { tempFolder } from "../../support/git-repo.ts";

describe("what the drill knows about settings", () => {
  it("comes from the environment, the service's own file and the rights of files", async () => {
    const root = tempFolder();
    const place = (name: string): string => join(root, name);
    for (const name of ["data", "bin", "home"]) mkdirSync(place(name));
    chmodSync(place("data"), 0o755);
    chmodSync(place("bin"), 0o777);
    writeFileSync(place("key.pem"), "a key\n", { mode: 0o644 });
    writeFileSync(
      place("app.env"),
      `APP_ID=7\nWEBHOOK_SECRET=short\nPRIVATE_KEY_PATH=${place("key.pem")}\n`,
      {
        mode: 0o600,
      },
    );
    const facts = await settingFacts(
      {
        HOME: place("home"),
        PATH: `/usr/bin:${place("bin")}:tools`,
        LOOM_DATA: place("data"),
        LOOM_ENV_FILE: place("app.env"),
        LOOM_PASS_ENV: "NPM_TOKEN",
        LOOM_SANDBOX_SHOW: `${root}:${place("home")}/myapp:/usr/share`,
        LOOM_ALLOWED_DOMAINS: "*",
      },
      place("home"),
      "bubblewrap",
    );
    expect(facts).toMatchObject({
      env: { APP_ID: "7", WEBHOOK_SECRET: "short" },
      passed: ["NPM_TOKEN"],
      shown: [root, `${place("home")}/myapp`],
      searchPath: [place("bin"), "tools"],
      hosts: { LOOM_ALLOWED_DOMAINS: ["*"], LOOM_CHECK_DOMAINS: [] },
    });
    expect((facts.dataMode ?? 0) & 0o777).toBe(0o755);
    expect(facts.keyFiles.map(({ path, mode }) => [path, mode & 0o777])).toEqual([
      [place("key.pem"), 0o644],
      [place("app.env"), 0o600],
    ]);
  });

  it("is the same whether settings are exported or stand in the service's file", async () => {
    const root = tempFolder();
    const weak = {
      APP_ID: "7",
      LOOM_SANDBOX: "off",
      LOOM_ALLOWED_DOMAINS: "*,127.0.0.1:6379",
      LOOM_SETUP_NETWORK: "commit",
      LOOM_PASS_ENV: "MY_SECRET_TOKEN",
      LOOM_SANDBOX_SHOW: `${root}:/`,
      LOOM_DATA: join(root, "data"),
      REDIS_URL: "redis://example.org",
    };
    mkdirSync(weak.LOOM_DATA, { mode: 0o755 });
    const file = join(root, "app.env");
    const lines = Object.entries(weak).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(file, lines.join(""), { mode: 0o600 });
    const outer = { HOME: root, PATH: "/usr/bin", MY_SECRET_TOKEN: "x9f3kq8sd7fh" };
    const judged = async (env: Record<string, string>) =>
      judgeSettings(await settingFacts({ ...outer, ...env }, root, "off"));
    const inFile = await judged({ LOOM_ENV_FILE: file });
    writeFileSync(join(root, "empty.env"), "", { mode: 0o600 });
    expect(inFile).toEqual(await judged({ ...weak, LOOM_ENV_FILE: join(root, "empty.env") }));
    const open = inFile.flatMap(({ attack, outcome }) =>
      outcome.kind === "open" && outcome.why === "got-through"
        ? [`${attack}: ${outcome.what.join(", ")}`]
        : [],
    );
    expect(open.map((text) => text.replaceAll(root, "<root>"))).toMatchInlineSnapshot(`
      [
        "setting-sandbox: LOOM_SANDBOX=off",
        "setting-root: Loom runs as root",
        "setting-hosts: LOOM_ALLOWED_DOMAINS: *, LOOM_ALLOWED_DOMAINS: 127.0.0.1:6379",
        "setting-passed: MY_SECRET_TOKEN",
        "setting-shown: <root>, /",
        "setting-data: 755",
        "setting-store: no password, no TLS",
        "setting-webhook: no secret",
      ]
    `);
  });

  it("takes a `.env` that nobody named and that holds nothing of an App for somebody else's", async () => {
    const root = tempFolder();
    writeFileSync(join(root, ".env"), "REDIS_URL=redis://example.org\n", { mode: 0o600 });
    const facts = await settingFacts({ HOME: root, PATH: "/usr/bin" }, root, "off");
    expect(facts).toMatchObject({ env: { HOME: root }, keyFiles: [], dataMode: null });
    expect(facts.env.REDIS_URL).toBeUndefined();
  });
});
