import { describe, expect, it } from "vitest";
import type { AttackId, Outcome } from "../../../src/core/drill/attack.ts";
import { judgeSettings, type SettingFacts } from "../../../src/core/drill/judge-settings.ts";

const GOOD: SettingFacts = {
  env: {},
  sandbox: "bubblewrap",
  isRoot: false,
  hosts: { LOOM_ALLOWED_DOMAINS: ["example.org"], LOOM_SETUP_DOMAINS: ["registry.npmjs.org"] },
  passed: [],
  shown: [],
  searchPath: [],
  dataMode: null,
  keyFiles: [],
};

function judge(attack: AttackId, change: Partial<SettingFacts>): Outcome | undefined {
  return judgeSettings({ ...GOOD, ...change }).find((one) => one.attack === attack)?.outcome;
}

function found(attack: AttackId, change: Partial<SettingFacts>): readonly string[] {
  const outcome = judge(attack, change);
  return outcome?.kind === "open" && outcome.why === "got-through" ? outcome.what : [];
}

describe("settings of an installation", () => {
  it("open nothing on a machine without an App, and what is not configured is said to be so", () => {
    const outcomes = judgeSettings(GOOD).map(({ attack, outcome }) => `${attack} ${outcome.kind}`);
    expect(outcomes).toEqual([
      "setting-sandbox held",
      "setting-root held",
      "setting-hosts held",
      "setting-passed skipped",
      "setting-shown skipped",
      "setting-model skipped",
      "setting-plain held",
      "setting-path held",
      "setting-data skipped",
      "setting-keys skipped",
      "setting-store skipped",
      "setting-webhook skipped",
      "setting-gate held",
    ]);
  });

  it("are held where a service is configured well", () => {
    const outcomes = judgeSettings({
      ...GOOD,
      env: {
        APP_ID: "1",
        WEBHOOK_SECRET: "a".repeat(40),
        REDIS_URL: "redis://:word@redis:6379",
        LOOM_SANDBOX_SHOW: "/opt/tools",
        ANTHROPIC_BASE_URL: "http://127.0.0.1:8080",
        GHE_HOST: "github.example.org",
        NODE_ENV: "production",
      },
      passed: ["NODE_ENV"],
      isRoot: true,
      dataMode: 0o40750,
      keyFiles: [{ path: "/etc/loom/key.pem", mode: 0o100600 }],
    });
    expect(outcomes.filter(({ outcome }) => outcome.kind === "open")).toEqual([]);
    expect(outcomes.find(({ attack }) => attack === "setting-model")?.outcome.kind).toBe("skipped");
  });

  it.each<[AttackId, Partial<SettingFacts>, string[]]>([
    ["setting-sandbox", { sandbox: "off", env: { LOOM_SANDBOX: "off" } }, ["LOOM_SANDBOX=off"]],
    ["setting-sandbox", { sandbox: "off" }, ["bubblewrap does not work here"]],
    ["setting-root", { sandbox: "off", isRoot: true }, ["Loom runs as root"]],
    [
      "setting-hosts",
      {
        hosts: {
          LOOM_ALLOWED_DOMAINS: ["*", "*.com", "a.example"],
          LOOM_CHECK_DOMAINS: ["10.0.0.7", "db", "[::1]:80"],
        },
      },
      [
        "LOOM_ALLOWED_DOMAINS: *",
        "LOOM_ALLOWED_DOMAINS: *.com",
        "LOOM_CHECK_DOMAINS: 10.0.0.7",
        "LOOM_CHECK_DOMAINS: db",
        "LOOM_CHECK_DOMAINS: [::1]:80",
      ],
    ],
    [
      "setting-passed",
      { passed: ["NPM_TOKEN", "NODE_ENV"], env: { NPM_TOKEN: "x9f3kq8sd7fh", NODE_ENV: "production" } },
      ["NPM_TOKEN"],
    ],
    ["setting-shown", { shown: ["/home/me"], env: { LOOM_SANDBOX_SHOW: "/home/me" } }, ["/home/me"]],
    ["setting-model", { env: { LOOM_MODEL_ALLOW: "mcp_servers, a" } }, ["mcp_servers", "a"]],
    [
      "setting-plain",
      {
        env: {
          OPENAI_BASE_URL: "http://models.example.org/v1",
          GHE_PROTOCOL: "http",
          GHE_HOST: "github.example.org",
          NODE_TLS_REJECT_UNAUTHORIZED: "0",
        },
      },
      ["OPENAI_BASE_URL", "GHE_PROTOCOL", "NODE_TLS_REJECT_UNAUTHORIZED"],
    ],
    ["setting-path", { searchPath: ["."] }, ["."]],
    ["setting-data", { dataMode: 0o40755 }, ["755"]],
    ["setting-keys", { keyFiles: [{ path: "key.pem", mode: 0o100640 }] }, ["key.pem"]],
    ["setting-store", { env: { REDIS_URL: "redis://redis.example.org:6379" } }, ["no password", "no TLS"]],
    ["setting-store", { env: { REDIS_URL: "rediss://user@redis.example.org" } }, ["no password"]],
    ["setting-webhook", { env: { APP_ID: "1" } }, ["no secret"]],
    ["setting-webhook", { env: { WEBHOOK_SECRET: "short" } }, ["5 characters"]],
    ["setting-webhook", { env: { WEBHOOK_SECRET: "development" } }, ["a secret that everybody knows"]],
    ["setting-hosts", { hosts: { LOOM_SETUP_DOMAINS: ["a b"] } }, ["LOOM_SETUP_DOMAINS: a b is no rule"]],
    [
      "setting-gate",
      { env: { LOOM_GATE_CHANGES: "warn", LOOM_VALIDATION_STRICTNESS: "lenient" } },
      ["LOOM_GATE_CHANGES=warn", "LOOM_VALIDATION_STRICTNESS=lenient"],
    ],
  ])("tell what is open: %s", (attack, change, what) => {
    expect(found(attack, change)).toEqual(what);
  });
});
