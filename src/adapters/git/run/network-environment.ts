import { devNull } from "node:os";
import { InternalError } from "../../../core/errors.ts";
import type { NetworkAccess } from "../../../ports/git.ts";

type Environment = Record<string, string>;

// Nothing in it that git's matching of settings to addresses, a shell or a log could read as something else.
const ADDRESS = /^https?:\/\/(?:[a-z0-9.-]+|\[::1\])(?::\d{1,5})?(?:\/[A-Za-z0-9._~-]+)+$/i;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

// How this machine reaches the world is its operator's choice; an agent never runs with this environment.
const OPERATOR_VARIABLES = [
  "HTTPS_PROXY",
  "https_proxy",
  "NO_PROXY",
  "no_proxy",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
];

/** An address that may be talked to: https, or http on this very machine, and no credentials in it. */
export function checkedAddress(url: string): URL {
  const address = ADDRESS.test(url) && !url.split("/").includes("..") ? new URL(url) : null;
  if (address?.protocol === "https:") return address;
  if (address?.protocol === "http:" && LOOPBACK.test(address.hostname)) return address;
  throw new InternalError(`refused to let git talk to ${JSON.stringify(withoutUserInfo(url)).slice(0, 120)}`);
}

/**
 * What one process gets besides the usual. The token is bound to the address: git hands the header to no other one, so
 * that an `insteadOf` planted somewhere could lead the call astray, but not the token. Redirects are not followed,
 * because git would take the header along to wherever they lead.
 */
export function networkEnvironment({ url, token }: NetworkAccess, outer: NodeJS.ProcessEnv): Environment {
  const { protocol } = checkedAddress(url);
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new InternalError("a token with characters that no header can hold");
  const env: Environment = {
    GIT_ALLOW_PROTOCOL: protocol.slice(0, -1),
    // An empty one is asked for nothing, whatever `core.askPass` says.
    GIT_ASKPASS: "",
    GIT_TEST_DISALLOW_ABBREVIATED_OPTIONS: "true",
  };
  if (protocol === "https:") {
    for (const name of OPERATOR_VARIABLES) {
      const value = outer[name];
      if (value !== undefined) env[name] = value;
    }
  }
  const settings: readonly (readonly [string, string])[] = [
    ["core.hooksPath", devNull],
    ["core.fsmonitor", "false"],
    ["credential.helper", ""],
    ["http.followRedirects", "false"],
    ["http.sslVerify", "true"],
    // A server that says nothing for two minutes is not going to; both directions keep lines alive by themselves.
    ["http.lowSpeedLimit", "1"],
    ["http.lowSpeedTime", "120"],
    [`http.${url}.followRedirects`, "false"],
    [`http.${url}.sslVerify`, "true"],
    [`http.${url}.extraHeader`, `Authorization: Basic ${basic(token)}`],
  ];
  env.GIT_CONFIG_COUNT = String(settings.length);
  for (const [index, [key, value]] of settings.entries()) {
    env[`GIT_CONFIG_KEY_${index}`] = key;
    env[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return env;
}

/** The other side may send back what it was sent. */
export function withoutToken(text: string, token: string): string {
  return [...new Set([token, encodeURIComponent(token), basic(token)])].reduce(
    (rest, secret) => rest.replaceAll(secret, "[token]"),
    text,
  );
}

/** The form that GitHub takes tokens of every kind in. */
function basic(token: string): string {
  return Buffer.from(`x-access-token:${token}`).toString("base64");
}

function withoutUserInfo(url: string): string {
  return url.replace(/\/\/[^/]*@/, "//");
}
