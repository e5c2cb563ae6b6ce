import { join } from "node:path";
import {
  type ResolvedSetting,
  type ResolvedSettings,
  resolveForApp,
  resolveSettings,
  type SettingSources,
} from "../../core/config/settings/resolve-settings.ts";
import { settingTexts } from "../../core/config/settings/setting-texts.ts";
import { homeFolder } from "../folders/home-folder.ts";
import { userFolder } from "../folders/user-folder.ts";
import type { Env } from "./env.ts";
import { findCheckout, liesIn, readEnvFile } from "./read-env-file.ts";
import { readServiceEnvFile } from "./service-env-file.ts";

/** The settings of this process, and the files that they were looked for in. */
export type Settled = ResolvedSettings & {
  readonly sources: SettingSources;
  readonly files: { readonly workspace: string | null; readonly user: string };
};

/**
 * Completes the process's environment from `.env` files: the repository's, as far as it may say something, and the user's
 * own. A service works for many repositories and belongs to none, so it has no `workspace`. Files that can't be used are a
 * warning: nobody is kept from looking at a run by somebody's `.env`.
 */
export async function settleSettings(exported: Env, workspace: string | null): Promise<Settled> {
  const root = workspace === null ? null : ((await findCheckout(workspace)) ?? workspace);
  const files = {
    workspace: root === null ? null : join(root, ".env"),
    user: join(userFolder(exported, homeFolder(exported)), ".env"),
  };
  const warnings: string[] = [];
  const read = async (path: string, within: string | null): Promise<Env> => {
    const found = await readEnvFile(path, async (stats) =>
      within !== null && !(await liesIn(path, within, stats)) ? settingTexts.leadsOut() : null,
    );
    if (found.kind === "read") return found.values;
    if (found.kind === "missing") return {};
    warnings.push(settingTexts.unusableFile(path, found.reason));
    return {};
  };
  const sources = {
    exported,
    workspace: files.workspace === null ? {} : await read(files.workspace, root),
    user: await read(files.user, null),
  };
  const resolved = resolveSettings(sources);
  return { ...resolved, warnings: [...warnings, ...resolved.warnings], sources, files };
}

const OF_APP = [
  "APP_ID",
  "PRIVATE_KEY",
  "PRIVATE_KEY_PATH",
  "PREVIOUS_PRIVATE_KEY",
  "PREVIOUS_PRIVATE_KEY_PATH",
  "WEBHOOK_SECRET",
];

/**
 * What `loom app` would have if it was started in this folder; none where no App is known here. A `.env` that nobody
 * named as the App's, and that holds nothing of it, is the repository's own affair.
 */
export async function settingsOfApp({ sources }: Settled, cwd: string): Promise<readonly ResolvedSetting[]> {
  const file = await readServiceEnvFile(sources.exported, cwd);
  const isOfApp = file.named || OF_APP.some((name) => file.values[name]);
  return isOfApp ? resolveForApp(sources, file.values) : [];
}
