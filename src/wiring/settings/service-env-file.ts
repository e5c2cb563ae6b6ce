import { realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { pickForService } from "../../core/config/settings/pick-for-service.ts";
import { settingTexts } from "../../core/config/settings/setting-texts.ts";
import type { Env } from "./env.ts";
import { findCheckout, liesIn, readEnvFile } from "./read-env-file.ts";

export type ServiceEnvFile = {
  readonly path: string;
  /** LOOM_ENV_FILE says which file it is. */
  readonly named: boolean;
  readonly values: Env;
  /** What stands there and does not count, by name and never by value. */
  readonly warnings: readonly string[];
  /** Why nothing there counts, now or once it is written; null: it counts. */
  readonly refusal: string | null;
};

/**
 * The file that `loom app` keeps its key in: LOOM_ENV_FILE, else `.env` in the current folder. Whoever can write it decides
 * which App the service is, where it sends its requests and who pays, so it has to be the operator's: owned by the user of
 * the process or by root, and writable by nobody else. A `.env` that nobody named must not come from a repository either:
 * it would change with a `git pull`. Naming a file is a word for where it is and whose, and none for everybody who may
 * write to it.
 */
export async function readServiceEnvFile(env: Env, cwd: string): Promise<ServiceEnvFile> {
  const named = Boolean(env.LOOM_ENV_FILE);
  const path = resolve(cwd, env.LOOM_ENV_FILE || ".env");
  const real = await realpath(path).catch(async () => join(await realpath(cwd).catch(() => cwd), ".env"));
  const checkout = named ? null : await findCheckout(dirname(real));
  let namingHelps = false;
  const found = await readEnvFile(path, async (stats) => {
    // Windows has neither owners of this kind nor such modes.
    const user = process.getuid?.();
    if (user !== undefined && (stats.mode & 0o022) !== 0) return settingTexts.writableByOthers();
    if (named) return null;
    namingHelps = true;
    if (checkout !== null) return settingTexts.inRepository(checkout);
    if (!(await liesIn(path, dirname(path), stats))) return settingTexts.linkLeadsAway();
    return user === undefined || [user, 0].includes(stats.uid) ? null : settingTexts.ownedByAnother();
  });
  const file = { path, named, values: {}, warnings: [] };
  switch (found.kind) {
    case "missing":
      return { ...file, refusal: checkout === null ? null : settingTexts.inRepository(checkout) };
    case "unusable":
      return {
        ...file,
        warnings: [
          namingHelps
            ? settingTexts.unnamedServiceFile(path, found.reason)
            : settingTexts.unusableFile(path, found.reason),
        ],
        refusal: found.reason,
      };
    case "read": {
      const { values, refused, onlyExported, unknown } = pickForService(found.values, named);
      const warnings = [
        ...(refused.length === 0 ? [] : [settingTexts.onlyInNamedFile(path, refused)]),
        ...(onlyExported.length === 0 ? [] : [settingTexts.notInServiceFile(path, onlyExported)]),
        ...(unknown.length === 0 ? [] : [settingTexts.noSetting(path, unknown)]),
      ];
      return { ...file, values, warnings, refusal: null };
    }
  }
}

/** What the process was started with, completed from the service's env file. What was given to the process wins, and an empty text counts as nothing given. */
export async function joinEnvFile(env: Env, cwd: string): Promise<{ env: Env; file: ServiceEnvFile }> {
  const file = await readServiceEnvFile(env, cwd);
  const given = Object.entries(env).filter(([, value]) => value !== undefined && value !== "");
  return { env: { ...file.values, ...Object.fromEntries(given) }, file };
}
