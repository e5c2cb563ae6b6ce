import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { WEBHOOKS } from "../../src/app/webhooks/webhooks.ts";
import { AGENT_CLIS } from "../setup/agent-clis.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (name: string): string => readFileSync(resolve(root, name), "utf8");

describe("app.yml", () => {
  const manifest = parse(read("app.yml"));

  it("asks for the events that the app listens to, less those that GitHub sends unasked", () => {
    const unasked = ["installation", "installation_repositories"];
    const handled = WEBHOOKS.map((webhook) => webhook.event).filter((event) => !unasked.includes(event));
    expect(manifest.default_events).toEqual([...handled].sort());
  });

  it("asks for the least permissions, and never for workflows", () => {
    expect(manifest.default_permissions).toEqual({
      metadata: "read",
      contents: "write",
      issues: "write",
      pull_requests: "write",
      checks: "write",
      merge_queues: "read",
    });
  });

  it("asks for permissions that GitHub knows, at levels that it knows", () => {
    const api = JSON.parse(read("node_modules/@octokit/openapi/generated/api.github.com.json"));
    const known = api.components.schemas["app-permissions"].properties;
    for (const [name, level] of Object.entries(manifest.default_permissions))
      expect([name, known[name]?.enum ?? []]).toEqual([name, expect.arrayContaining([level])]);
  });

  it("stays private unless somebody decides otherwise", () => {
    expect(manifest.public).toBe(false);
  });
});

type Instruction = { readonly name: string; readonly text: string };

function instructions(file: string): Instruction[] {
  const lines = file.replace(/^\s*#.*\n/gm, "").replace(/\\\n/g, " ");
  return Array.from(lines.matchAll(/^([A-Z]+)\s+(.+)$/gm), ([, name = "", text = ""]) => ({
    name,
    text: text.trim(),
  }));
}

describe("the Dockerfile", () => {
  const all = instructions(read("Dockerfile"));
  const lastFrom = all.map((one) => one.name).lastIndexOf("FROM");
  const build = all.slice(0, lastFrom);
  const image = all.slice(lastFrom);
  const textsOf = (name: string, from = image): string[] =>
    from.filter((one) => one.name === name).map((one) => one.text);

  it("builds in one stage and ships another, both of a pinned Node 20", () => {
    const froms = textsOf("FROM", all);
    expect(froms).toHaveLength(2);
    for (const from of froms) expect(from).toMatch(/^node:20\.\d+(\.\d+)?-bookworm-slim\b/);
  });

  it("installs what the lock file says, builds, and ships no development package", () => {
    expect(textsOf("RUN", build).join(" ")).toMatch(/npm ci .*npm run build .*npm prune --omit=dev/);
    const copied = textsOf("COPY");
    expect(copied.every((text) => text.startsWith("--from=build "))).toBe(true);
    for (const part of ["node_modules", "dist/src", "prompts", "policies", "app.yml"])
      expect(copied.join(" ")).toContain(part);
  });

  it("copies the same folders that the package ships", () => {
    const { files } = JSON.parse(read("package.json"));
    // What is left out of one of them begins with `!`.
    for (const part of files.filter((one: string) => !one.startsWith("!")))
      expect(textsOf("COPY").join(" ")).toContain(`/app/${part}`);
  });

  it("brings only the agents that it is asked for, each in the version that tests drive", () => {
    expect(textsOf("ARG")).toEqual(['AGENTS=""']);
    const install = textsOf("RUN").find((text) => text.includes("$AGENTS")) ?? "";
    const ids = Object.keys(AGENT_CLIS);
    expect(install).toContain(`${ids.join("|")}) ;;`);
    expect(readdirSync(resolve(root, "agents"))).toEqual(ids);
    for (const [id, cli] of Object.entries(AGENT_CLIS)) {
      const { dependencies, scripts = {} } = JSON.parse(read(`agents/${id}/package.json`));
      expect(dependencies).toEqual({ [cli.package]: cli.version });
      expect(scripts).toEqual(
        cli.script === null ? {} : { finish: `cd node_modules/${cli.package} && node ${cli.script}` },
      );
    }
  });

  it("holds what it installs against a lock file, and runs no script unasked", () => {
    const installs = [...textsOf("RUN"), ...textsOf("RUN", build)].filter((text) =>
      /\bnpm (?:ci|i)/.test(text),
    );
    expect(installs).toHaveLength(2);
    for (const text of installs) expect(text).toMatch(/npm ci --ignore-scripts/);
    expect(all.map(({ text }) => text).join("\n")).not.toMatch(/npm (?:i|install|exec)\b|npx/);
  });

  it("runs as a user without rights, and decides so after it has installed", () => {
    expect(textsOf("USER")).toEqual(["node"]);
    const names = image.map((one) => one.name);
    expect(names.indexOf("USER")).toBeGreaterThan(names.lastIndexOf("RUN"));
  });

  it("brings git, bubblewrap and certificates", () => {
    for (const name of ["git", "bubblewrap", "ca-certificates", "procps"])
      expect(textsOf("RUN").join(" ")).toMatch(new RegExp(`apt-get install [^&]*\\b${name}\\b`));
  });

  it("asks its own process whether it is up, with node alone", () => {
    const [check = ""] = textsOf("HEALTHCHECK");
    const command: string[] = JSON.parse(check.slice(check.indexOf("[")));
    expect(command.slice(0, 2)).toEqual(["node", "-e"]);
    expect(command[2]).toContain("/healthz");
    expect(() => new Function(command[2] ?? "")).not.toThrow();
  });

  it("starts the app unless told otherwise, and keeps its data in a volume", () => {
    expect(textsOf("ENTRYPOINT")).toEqual(['["node", "dist/src/cli/main.js"]']);
    expect(textsOf("CMD")).toEqual(['["app"]']);
    expect(textsOf("VOLUME").join()).toContain('"/data"');
    expect(textsOf("ENV").join()).toContain("LOOM_DATA=/data");
  });

  it("bakes no secret in", () => {
    const set = [...textsOf("ENV", all), ...textsOf("ARG", all)].join(" ");
    expect(set).not.toMatch(/KEY|SECRET|TOKEN|PASSWORD|APP_ID/i);
    expect(textsOf("COPY", all).join(" ")).not.toMatch(/\.env|\.pem/);
  });

  it("never sees the history or a secret", () => {
    const ignored = read(".dockerignore").split("\n");
    for (const name of [".git", "**/.env", "**/.env.*", "**/*.env", "**/*.pem", "node_modules"])
      expect(ignored).toContain(name);
    expect(ignored.some((line) => line.startsWith("!"))).toBe(false);
  });
});

describe("compose.yaml", () => {
  const compose = parse(read("compose.yaml"), { merge: true });
  const { redis, app, worker } = compose.services;

  it("runs a Redis that evicts nothing and forgets nothing", () => {
    const command = redis.command.join(" ");
    expect(command).toContain("--maxmemory-policy noeviction");
    expect(command).toContain("--appendonly yes");
    expect(redis.image).toMatch(/^redis:\d+\.\d+/);
    expect(redis.volumes).toEqual(["redis:/data"]);
    expect(redis.healthcheck.test).toEqual(["CMD", "redis-cli", "-e", "ping"]);
    expect(redis.ports).toBeUndefined();
  });

  it("gives that Redis a password, which has to be set and is written nowhere", () => {
    const password =
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Compose's own syntax.
      "${REDIS_PASSWORD:?Write REDIS_PASSWORD=… to .env, with what `openssl rand -hex 32` prints}";
    expect(redis.command.slice(-2)).toEqual(["--requirepass", password]);
    expect(redis.environment).toEqual({ REDISCLI_AUTH: password });
    for (const service of [app, worker])
      expect(service.environment.REDIS_URL).toBe(`redis://:${password}@redis:6379`);
    expect(read(".env.example")).toMatch(/^REDIS_PASSWORD=$/m);
  });

  it("starts app and workers when Redis is healthy, and again when they fall", () => {
    for (const service of [app, worker]) {
      expect(service.depends_on.redis.condition).toBe("service_healthy");
      expect(service.restart).toBe("unless-stopped");
      expect(service.init).toBe(true);
    }
    expect(redis.restart).toBe("unless-stopped");
    expect(app.command).toEqual(["app"]);
    expect(worker.command).toEqual(["worker"]);
    expect(worker.deploy.replicas).toBeGreaterThan(1);
  });

  it("takes secrets from files that are not part of it, and publishes to this machine only", () => {
    const settings = { path: ".env", required: false };
    expect(app.env_file).toEqual([settings]);
    expect(worker.env_file).toEqual([settings, { path: "agents.env", required: false }]);
    expect(Object.keys(app.environment)).toEqual(["REDIS_URL"]);
    expect(Object.keys(worker.environment)).toEqual(["REDIS_URL", "LOOM_SANDBOX"]);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Compose's own syntax.
    expect(app.ports).toEqual(["${LOOM_PUBLISH:-127.0.0.1:3000}:3000"]);
    expect(worker.ports).toBeUndefined();
  });

  it("gives the keys of agents to workers alone, and keeps them out of git", () => {
    const names = (file: string): string[] => read(file).match(/^#?[A-Z_]+(?==)/gm) ?? [];
    const isKey = (name: string): boolean => /_API_KEY$|_TOKEN$/.test(name);
    expect(names("agents.env.example").filter(isKey)).not.toEqual([]);
    expect(names(".env.example").filter(isKey)).toEqual([]);
    for (const name of [".env", "agents.env"]) expect(read(".gitignore").split("\n")).toContain(name);
  });

  it("has workers that build a sandbox or do not start, with no more rights than that takes", () => {
    expect(worker.environment.LOOM_SANDBOX).toBe("bubblewrap");
    expect(worker.security_opt).toEqual([
      "seccomp=unconfined",
      "apparmor=unconfined",
      "systempaths=unconfined",
      "no-new-privileges=true",
    ]);
    expect(worker.cap_drop).toEqual(["ALL"]);
    expect(worker.cap_add ?? worker.privileged ?? worker.user).toBeUndefined();
  });

  it("keeps all of Docker's confinement around the app, which runs no agent", () => {
    expect(app.security_opt ?? app.cap_add ?? app.privileged).toBeUndefined();
  });

  it("declares every volume that it uses", () => {
    const used = [redis, app, worker].flatMap((service) =>
      (service.volumes ?? []).map((volume: string) => volume.split(":")[0]),
    );
    expect(Object.keys(compose.volumes).sort()).toEqual([...new Set(used)].sort());
  });
});
