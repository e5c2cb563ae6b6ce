import { passedNames } from "../../../core/secrets/passed-names.ts";
import { ownValue, table } from "../../../core/table.ts";
import { RELAY_PORT } from "../gateway/program-files.ts";
import type { Environment, ShownPrograms } from "./bubblewrap/shown-programs.ts";

export type CleanEnvironmentOptions = {
  /** The operator's. */
  readonly env: Environment;
  readonly programs: ShownPrograms;
  readonly home: string;
  readonly tmp: string;
  /** The only way out is the relay on the sandbox's own loopback. */
  readonly hasRelay: boolean;
};

export const RELAY_URL = `http://127.0.0.1:${RELAY_PORT}`;

/** By name, and with values that a locale or a zone can have: `LC_TOKEN` is somebody's secret (T10). */
const LOCALE =
  /^(?:LANG|LANGUAGE|TZ|LC_(?:ALL|ADDRESS|COLLATE|CTYPE|IDENTIFICATION|MEASUREMENT|MESSAGES|MONETARY|NAME|NUMERIC|PAPER|TELEPHONE|TIME))$/;
const LOCALE_VALUE = /^[\w.@:-]{1,64}$/;
/** `Europe/Berlin`, `Etc/GMT+1` */
const ZONE_VALUE = /^[\w.@:/+-]{1,64}$/;
/** Where toolchains are. They are kept when they name a folder that the sandbox shows. */
const TOOLCHAINS = [
  "ANDROID_HOME",
  "ANDROID_SDK_ROOT",
  "CONDA_PREFIX",
  "DOTNET_ROOT",
  "GOROOT",
  "GRADLE_HOME",
  "JAVA_HOME",
  "JDK_HOME",
  "M2_HOME",
  "MAVEN_HOME",
  "PLAYWRIGHT_BROWSERS_PATH",
  "PYENV_ROOT",
  "RUSTUP_HOME",
  "VOLTA_HOME",
];

/** All that programs in a sandbox with isolation are told. What is not named here, or by the operator, does not enter. */
export function cleanEnvironment(options: CleanEnvironmentOptions): Record<string, string> {
  const { env, programs } = options;
  const clean: Record<string, string> = table({
    PATH: programs.searchPath.join(":"),
    HOME: options.home,
    TMPDIR: options.tmp,
    LANG: "C.UTF-8",
    TERM: "dumb",
    CI: "true",
    USER: "loom",
    LOGNAME: "loom",
    SHELL: "/bin/sh",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    ...(options.hasRelay ? relayEnvironment() : {}),
  });
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && LOCALE.test(name) && (name === "TZ" ? ZONE_VALUE : LOCALE_VALUE).test(value))
      clean[name] = value;
  }
  for (const name of TOOLCHAINS) {
    const value = env[name];
    if (value && programs.covers(value)) clean[name] = value;
  }
  return { ...clean, ...passedEnvironment(env) };
}

function relayEnvironment(): Record<string, string> {
  const proxies = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"];
  const direct = "localhost,127.0.0.1,::1";
  return {
    ...Object.fromEntries(proxies.map((name) => [name, RELAY_URL])),
    NO_PROXY: direct,
    no_proxy: direct,
    LOOM_GATEWAY: RELAY_URL,
  };
}

/** What the operator lets in by name. */
export function passedEnvironment(env: Environment): Record<string, string> {
  return Object.fromEntries(
    passedNames(env).flatMap((name) => {
      const value = ownValue(env, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
