import { readHostRule } from "../network/allowed-host.ts";
import { isPrivateHost } from "../network/private-host.ts";
import { secretValues } from "../secrets/secret-values.ts";
import { type AttackId, type Outcome, outcomeOf, type Played } from "./attack.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** What the settings of this installation come to, as far as the drill judges them. */
export type SettingFacts = {
  /** All settings, those of the service's own file included. */
  readonly env: Env;
  /** `off`: there is none. */
  readonly sandbox: string;
  readonly isRoot: boolean;
  /** Hosts that the operator opens, by the setting that opens them. */
  readonly hosts: Readonly<Record<string, readonly string[]>>;
  readonly passed: readonly string[];
  /** Of LOOM_SANDBOX_SHOW, those that hold a home, Loom's data or the repository, or lie in one of them. */
  readonly shown: readonly string[];
  /** Folders of the PATH that others may write to, and entries that mean another folder each time. */
  readonly searchPath: readonly string[];
  /** null: it is not there. */
  readonly dataMode: number | null;
  /** Files that hold keys, with their rights. */
  readonly keyFiles: readonly { readonly path: string; readonly mode: number }[];
};

const SHORTEST_WEBHOOK_SECRET = 20;
const OF_APP = ["APP_ID", "PRIVATE_KEY", "PRIVATE_KEY_PATH", "WEBHOOK_SECRET"];
const ADDRESSES = [
  "ANTHROPIC_BASE_URL",
  "OPENAI_BASE_URL",
  "GOOGLE_GEMINI_BASE_URL",
  "LOOM_OPENCODE_URL",
  "LOOM_EVENTS_URL",
];

/** What is not configured opens nothing, and is told apart from what is configured well. */
export function judgeSettings(facts: SettingFacts): Played[] {
  const { env } = facts;
  const isService = OF_APP.some((name) => isSet(env, name));
  const judged: readonly (readonly [AttackId, readonly string[] | null])[] = [
    ["setting-sandbox", facts.sandbox === "off" ? [sandboxWord(env)] : []],
    ["setting-root", facts.isRoot ? (facts.sandbox === "off" ? ["Loom runs as root"] : []) : []],
    ["setting-hosts", wideHosts(facts)],
    ["setting-passed", facts.passed.length === 0 ? null : passedSecrets(facts)],
    ["setting-shown", isSet(env, "LOOM_SANDBOX_SHOW") ? facts.shown : null],
    ["setting-model", isSet(env, "LOOM_MODEL_ALLOW") ? words(env.LOOM_MODEL_ALLOW) : null],
    ["setting-plain", plainAddresses(env)],
    ["setting-path", facts.searchPath],
    ["setting-data", facts.dataMode === null ? null : openTo(facts.dataMode, 0o027)],
    ["setting-keys", facts.keyFiles.length === 0 ? null : openKeys(facts)],
    ["setting-store", isSet(env, "REDIS_URL") ? openStore(env.REDIS_URL ?? "") : null],
    ["setting-webhook", isService ? weakWebhook(env.WEBHOOK_SECRET ?? "") : null],
    ["setting-gate", weakChecks(env)],
  ];
  return judged.map(([attack, what]) => ({ attack, outcome: judge(what) }));
}

function judge(what: readonly string[] | null): Outcome {
  return what === null ? { kind: "skipped", why: "not-configured" } : outcomeOf(what);
}

function sandboxWord(env: Env): string {
  return env.LOOM_SANDBOX?.trim() === "off" ? "LOOM_SANDBOX=off" : "bubblewrap does not work here";
}

/** Rules for everything, for whole top-level domains, for what is not on the public internet, and those that nobody can read. */
function wideHosts({ hosts }: SettingFacts): string[] {
  return Object.entries(hosts).flatMap(([setting, rules]) =>
    rules.flatMap((text) => {
      const reading = readHostRule(text);
      if (reading.kind === "problem") return [`${setting}: ${text} is no rule`];
      const { kind, host } = reading.rule;
      const isWide = kind === "any" || (kind === "below" && !host.includes("."));
      return isWide || isPrivateHost(host) ? [`${setting}: ${text}`] : [];
    }),
  );
}

/** By name and value, as everywhere else: what is passed on purpose is secret unless it is a plain word. */
function passedSecrets({ env, passed }: SettingFacts): string[] {
  return passed.filter((name) => {
    const value = env[name];
    return value !== undefined && secretValues({ [name]: value, LOOM_PASS_ENV: name }).length > 0;
  });
}

function plainAddresses(env: Env): string[] {
  const plain = ADDRESSES.filter((name) => {
    const [, host] = /^http:\/\/(?:[^@/]*@)?(\[[^\]]*\]|[^:/?#]*)/i.exec(env[name]?.trim() ?? "") ?? [];
    return host !== undefined && !isPrivateName(host);
  });
  const github = env.GHE_PROTOCOL?.trim() === "http" && !isPrivateName(env.GHE_HOST?.trim() ?? "localhost");
  return [
    ...plain,
    ...(github ? ["GHE_PROTOCOL"] : []),
    ...(env.NODE_TLS_REJECT_UNAUTHORIZED === "0" ? ["NODE_TLS_REJECT_UNAUTHORIZED"] : []),
  ];
}

function openStore(url: string): string[] {
  const parts = /^(rediss?):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?(\[[^\]]*\]|[^:/?#]*)/i.exec(url.trim());
  if (!parts) return ["REDIS_URL"];
  const [, protocol = "", , password = "", host = ""] = parts;
  return [
    ...(password === "" ? ["no password"] : []),
    ...(protocol.toLowerCase() === "redis" && !isPrivateName(host) ? ["no TLS"] : []),
  ];
}

function weakWebhook(secret: string): string[] {
  if (secret === "") return ["no secret"];
  if (secret === "development") return ["a secret that everybody knows"];
  return secret.length < SHORTEST_WEBHOOK_SECRET ? [`${secret.length} characters`] : [];
}

/** What every stage has to pass is as weak as these settings make it. */
function weakChecks(env: Env): string[] {
  const weak = { LOOM_GATE_CHANGES: "warn", LOOM_VALIDATION_STRICTNESS: "lenient" };
  return Object.entries(weak).flatMap(([name, word]) =>
    env[name]?.trim().toLowerCase() === word ? [`${name}=${word}`] : [],
  );
}

function openKeys({ keyFiles }: SettingFacts): string[] {
  return keyFiles.filter(({ mode }) => openTo(mode, 0o077).length > 0).map(({ path }) => path);
}

/** The rights that nobody but the owner should have, in the words of `chmod`. */
function openTo(mode: number, closed: number): string[] {
  return (mode & closed) === 0 ? [] : [(mode & 0o777).toString(8).padStart(3, "0")];
}

function isPrivateName(host: string): boolean {
  return isPrivateHost(host.replace(/^\[|\]$/g, "").toLowerCase());
}

function words(text: string | undefined): string[] {
  return (text ?? "").split(/[\s,]+/).filter((word) => word !== "");
}

function isSet(env: Env, name: string): boolean {
  return Boolean(env[name]?.trim());
}
