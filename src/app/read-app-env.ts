import { createPrivateKey } from "node:crypto";
import { getPrivateKey } from "@probot/get-private-key";
import * as z from "zod";
import { DEFAULTS } from "../core/config/defaults.ts";
import { readServiceNumber, WrongNumber } from "../core/config/settings/service-numbers.ts";
import { messageOf } from "../core/errors.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** Where GitHub is, and where the server listens; known before there is an App. */
export type ServerEnv = {
  /** Of the REST API. */
  readonly baseUrl: string;
  /** Of the pages people see. */
  readonly githubUrl: string;
  readonly port: number;
  readonly host: string;
};

export type AppEnv = ServerEnv & {
  readonly appId: number;
  readonly privateKey: string;
  /** What it replaced; what was signed with it still counts. */
  readonly previousKeys: readonly string[];
  readonly webhookSecret: string;
};

export type AppEnvReading =
  | { readonly kind: "ready"; readonly env: AppEnv }
  /** No App yet: the set-up can register one. */
  | { readonly kind: "unregistered"; readonly env: ServerEnv }
  | { readonly kind: "problems"; readonly problems: readonly string[] };

/**
 * Loopback unless told otherwise: on a machine of its own Loom stands behind a proxy or a tunnel that speaks TLS, and the
 * set-up page must not meet strangers. The container image sets HOST=0.0.0.0, because there the published port decides.
 */
const { host: DEFAULT_HOST, port: DEFAULT_PORT } = DEFAULTS.service;

// Number() would take "1e3" and "0x10" as well.
const appNumber = z
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .transform(Number);

export function readAppEnv(env: Env, cwd: string = process.cwd()): AppEnvReading {
  const problems: string[] = [];
  const server = readServer(env, problems);
  const isUnregistered =
    !given(env, "APP_ID") && !given(env, "PRIVATE_KEY") && !given(env, "PRIVATE_KEY_PATH");
  if (isUnregistered)
    return problems.length > 0 ? { kind: "problems", problems } : { kind: "unregistered", env: server };
  const appId = readAppId(env, problems);
  const privateKey = readPrivateKey(env, cwd, problems) ?? missingKey(problems);
  const previous = readPrivateKey(env, cwd, problems, "PREVIOUS_");
  const previousKeys = previous === null ? [] : [previous];
  const webhookSecret = readWebhookSecret(env, problems);
  if (problems.length > 0) return { kind: "problems", problems };
  return { kind: "ready", env: { ...server, appId, privateKey, previousKeys, webhookSecret } };
}

function readServer(env: Env, problems: string[]): ServerEnv {
  const host = given(env, "HOST") ?? DEFAULT_HOST;
  return { ...readGitHub(env, problems), port: readPort(env, problems), host };
}

function readGitHub(env: Env, problems: string[]): { baseUrl: string; githubUrl: string } {
  const host = given(env, "GHE_HOST");
  const protocol = given(env, "GHE_PROTOCOL") ?? "https";
  if (protocol !== "https" && protocol !== "http")
    problems.push(`GHE_PROTOCOL is "${protocol}". Set it to https, or http for a server on this machine.`);
  if (host === null) return { baseUrl: "https://api.github.com", githubUrl: "https://github.com" };
  if (!/^[\w.-]+(?::\d{1,5})?$|^\[[0-9a-f:]+\](?::\d{1,5})?$/i.test(host))
    problems.push(`GHE_HOST is "${host}". Give the name only, without https:// and without a path.`);
  return { baseUrl: `${protocol}://${host}/api/v3`, githubUrl: `${protocol}://${host}` };
}

function readPort(env: Env, problems: string[]): number {
  const name = given(env, "LOOM_PORT") === null ? "PORT" : "LOOM_PORT";
  try {
    return readServiceNumber(env, name) ?? DEFAULT_PORT;
  } catch (error) {
    if (!(error instanceof WrongNumber)) throw error;
    problems.push(`${error.message} ${error.next}`);
    return DEFAULT_PORT;
  }
}

function readAppId(env: Env, problems: string[]): number {
  const text = given(env, "APP_ID");
  const parsed = appNumber.safeParse(text ?? "");
  if (parsed.success) return parsed.data;
  problems.push(
    text === null
      ? "APP_ID is missing. It is the number on top of the App's settings page on GitHub."
      : `APP_ID is "${text}". Give the number on top of the App's settings page on GitHub.`,
  );
  return 0;
}

/**
 * Probot's own reader also takes any .pem in the current folder; Loom is started in all kinds of folders, so it asks.
 * null when none is named; an empty text when what is named is no key, which is told.
 */
function readPrivateKey(
  env: Env,
  cwd: string,
  problems: string[],
  prefix: "" | "PREVIOUS_" = "",
): string | null {
  const plain = `${prefix}PRIVATE_KEY`;
  const name = given(env, plain) === null ? `${plain}_PATH` : plain;
  const value = givenExactly(env, name);
  if (value === null) return null;
  let key: string | null = null;
  try {
    key = getPrivateKey({ env: { [name.slice(prefix.length)]: value }, cwd });
  } catch (error) {
    if (name !== plain) {
      const reason = messageOf(error).includes("does not exist") ? "there is no such file" : codeOf(error);
      problems.push(`${name} is "${value}", but it can't be read: ${reason}.`);
      return "";
    }
  }
  if (key !== null && isPrivateKey(key)) return key;
  // Never the value itself: the sentence ends up in logs.
  problems.push(
    name === plain
      ? `${name} holds no private key. Copy the whole .pem file, or set ${name}_PATH to its path.`
      : `${name} is "${value}", but that file holds no private key.`,
  );
  return "";
}

function missingKey(problems: string[]): string {
  problems.push(
    "PRIVATE_KEY is missing. Set it, or PRIVATE_KEY_PATH, to the key that the App's settings page let you download.",
  );
  return "";
}

function readWebhookSecret(env: Env, problems: string[]): string {
  const secret = givenExactly(env, "WEBHOOK_SECRET");
  if (secret === null)
    problems.push("WEBHOOK_SECRET is missing. Set the same secret here and in the App's settings on GitHub.");
  // What Probot falls back to; everybody knows it, so anybody could sign with it (T21).
  else if (secret === "development")
    problems.push('WEBHOOK_SECRET is "development", which everybody knows. Choose a long random one.');
  return secret ?? "";
}

function isPrivateKey(text: string): boolean {
  try {
    return createPrivateKey(text).asymmetricKeyType === "rsa";
  } catch {
    return false;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : messageOf(error);
}

/** Compose hands on what is not set as an empty text. */
function given(env: Env, name: string): string | null {
  return env[name]?.trim() || null;
}

/** As it is: blanks at its ends may belong to a secret. */
function givenExactly(env: Env, name: string): string | null {
  return given(env, name) === null ? null : (env[name] ?? null);
}
