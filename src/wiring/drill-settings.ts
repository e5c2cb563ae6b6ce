import { statSync } from "node:fs";
import { delimiter, isAbsolute, resolve } from "node:path";
import { isWithin } from "../adapters/os/is-within.ts";
import { realPath } from "../adapters/os/real-path.ts";
import { passedNames } from "../core/config/passed-names.ts";
import { readSettings, type SettingsResult } from "../core/config/settings.ts";
import type { SettingFacts } from "../core/drill/judge-settings.ts";
import type { RoomKind } from "../ports/room.ts";
import { cacheFolder } from "./cache-folder.ts";
import type { Env } from "./env.ts";
import { homeFolder } from "./home-folder.ts";
import { dataFolder } from "./hosted-env.ts";
import { readServiceEnvFile } from "./service-env-file.ts";
import { userFolder } from "./user-folder.ts";

/** The settings that runs would have; which agent is the usual one does not matter here. */
export function drillSettings(env: Env): Pick<SettingsResult, "settings" | "warnings"> {
  return readSettings(env, { harness: "any", maxParallel: null }, { maxParallel: null });
}

/** What this installation's settings come to, those of the service's own file included where an App is known here. */
export async function settingFacts(env: Env, cwd: string, sandbox: RoomKind): Promise<SettingFacts> {
  const file = await readServiceEnvFile(env, cwd);
  const isOfApp =
    file.named || ["APP_ID", "PRIVATE_KEY", "PRIVATE_KEY_PATH"].some((name) => file.values[name]);
  const all: Env = isOfApp ? { ...file.values, ...env } : env;
  const { network } = drillSettings(env).settings;
  const data = resolve(cwd, dataFolder(all));
  const home = homeFolder(env);
  const keyFiles = [
    all.PRIVATE_KEY_PATH,
    all.PREVIOUS_PRIVATE_KEY_PATH,
    isOfApp ? file.path : undefined,
    resolve(userFolder(env, home), ".env"),
  ];
  const taboo = [home, data, cacheFolder(env), cwd].map(realPath);
  return {
    env: all,
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
      .filter((path) => path !== "" && taboo.some((one) => isWithin(one, realPath(path)))),
    searchPath: openPlaces(env.PATH ?? ""),
    dataMode: modeOf(data),
    keyFiles: keyFiles.flatMap((path) => {
      const mode = path?.trim() ? modeOf(resolve(cwd, path)) : null;
      return path === undefined || mode === null ? [] : [{ path, mode }];
    }),
  };
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
