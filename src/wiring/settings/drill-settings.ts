import { statSync } from "node:fs";
import { delimiter, isAbsolute, resolve } from "node:path";
import { isWithin } from "../../adapters/os/is-within.ts";
import { realPath } from "../../adapters/os/real-path.ts";
import { readSettings, type SettingsResult } from "../../core/config/settings/settings.ts";
import type { SettingFacts } from "../../core/drill/judge-settings.ts";
import { passedNames } from "../../core/secrets/passed-names.ts";
import type { SandboxKind } from "../../ports/sandbox.ts";
import { cacheFolder } from "../folders/cache-folder.ts";
import { homeFolder } from "../folders/home-folder.ts";
import { userFolder } from "../folders/user-folder.ts";
import type { Env } from "./env.ts";
import { dataFolder } from "./hosted-env.ts";
import { joinEnvFile, type ServiceEnvFile } from "./service-env-file.ts";

/** The settings that runs would have; which agent is the usual one does not matter here. */
export function drillSettings(env: Env): Pick<SettingsResult, "settings" | "warnings"> {
  return readSettings(env, { harness: "any", maxParallel: null }, { maxParallel: null });
}

/**
 * The environment that the service would have: where an App is known here, completed from the service's own file as `serve`
 * does it. `file`: that file, if it counts. Everything about the drill takes its settings from here and nowhere else.
 */
export async function drillEnv(
  outer: Env,
  cwd: string,
): Promise<{ readonly env: Env; readonly file: ServiceEnvFile | null }> {
  const { env, file } = await joinEnvFile(outer, cwd);
  const isOfApp = file.named || OF_APP.some((name) => file.values[name] || outer[name]);
  return isOfApp ? { env, file } : { env: outer, file: null };
}

const OF_APP = ["APP_ID", "PRIVATE_KEY", "PRIVATE_KEY_PATH"];

/** What this installation's settings come to. */
export async function settingFacts(outer: Env, cwd: string, sandbox: SandboxKind): Promise<SettingFacts> {
  const { env, file } = await drillEnv(outer, cwd);
  const { network } = drillSettings(env).settings;
  const data = resolve(cwd, dataFolder(env));
  const home = homeFolder(env);
  const keyFiles = [
    env.PRIVATE_KEY_PATH,
    env.PREVIOUS_PRIVATE_KEY_PATH,
    file?.path,
    resolve(userFolder(env, home), ".env"),
  ];
  const taboo = [home, data, cacheFolder(env), cwd].map(realPath);
  return {
    env,
    sandbox,
    isRoot: process.getuid?.() === 0,
    hosts: {
      LOOM_ALLOWED_DOMAINS: network?.agent ?? [],
      LOOM_SETUP_DOMAINS: network?.setup ?? [],
      LOOM_CHECK_DOMAINS: network?.checks ?? [],
    },
    passed: passedNames(env),
    shown: (env.LOOM_SANDBOX_SHOW ?? "")
      .split(":")
      .filter((path) => path !== "" && taboo.some((one) => overlap(one, realPath(path)))),
    searchPath: openPlaces(env.PATH ?? ""),
    dataMode: modeOf(data),
    keyFiles: keyFiles.flatMap((path) => {
      const mode = path?.trim() ? modeOf(resolve(cwd, path)) : null;
      return path === undefined || mode === null ? [] : [{ path, mode }];
    }),
  };
}

function overlap(one: string, other: string): boolean {
  return isWithin(one, other) || isWithin(other, one);
}

/** Programs are started from these folders, so whoever may write there may start programs. The sticky bit keeps nobody from adding one. */
function openPlaces(path: string): string[] {
  return path.split(delimiter).filter((entry) => {
    if (!isAbsolute(entry)) return true;
    const mode = modeOf(entry);
    return mode !== null && (mode & 0o002) !== 0;
  });
}

function modeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.mode ?? null;
}
