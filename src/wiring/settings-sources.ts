import { constants, type Stats } from "node:fs";
import { access, type FileHandle, open, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve, sep } from "node:path";
import { parseEnv } from "node:util";
import {
  type ResolvedSetting,
  type ResolvedSettings,
  resolveForApp,
  resolveSettings,
  type SettingSources,
} from "../core/config/resolve-settings.ts";
import { messageOf } from "../core/errors.ts";
import { settingTexts } from "../core/report/setting-texts.ts";
import type { Env } from "./env.ts";
import { homeFolder } from "./home-folder.ts";
import { userFolder } from "./user-folder.ts";

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
  const root = workspace === null ? null : await findRoot(workspace);
  const files = {
    workspace: root === null ? null : join(root, ".env"),
    user: join(userFolder(exported, homeFolder(exported)), ".env"),
  };
  const warnings: string[] = [];
  const read = async (path: string, within: string | null): Promise<Env> => {
    const found = await readEnvFile(path, within);
    if (found.kind === "read") return found.values;
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

const OF_APP = ["APP_ID", "PRIVATE_KEY", "PRIVATE_KEY_PATH", "WEBHOOK_SECRET"];

/**
 * What `loom app` would have if it was started in this folder; none where no App is known here. A `.env` that nobody
 * named as the App's, and that holds nothing of it, is the repository's own affair.
 */
export async function settingsOfApp({ sources }: Settled, cwd: string): Promise<readonly ResolvedSetting[]> {
  const named = sources.exported.LOOM_ENV_FILE;
  const file = await readEnvFile(resolve(cwd, named || ".env"), null);
  if (file.kind === "unusable") return [];
  const isOfApp = Boolean(named) || OF_APP.some((name) => file.values[name]);
  return isOfApp ? resolveForApp(sources, file.values) : [];
}

/** The root of the checkout; the folder itself where there is none. Git is not asked: it would read settings of the repository. */
async function findRoot(cwd: string): Promise<string> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (await exists(join(folder, ".git"))) return folder;
    if (dirname(folder) === folder) return cwd;
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

const MAX_BYTES = 64 * 1024;

type EnvFile =
  | { readonly kind: "read"; readonly values: Env }
  | { readonly kind: "unusable"; readonly reason: string };

/** `within`: the folder that the file has to lie in once links are followed. */
async function readEnvFile(path: string, within: string | null): Promise<EnvFile> {
  const unusable = (reason: string): EnvFile => ({ kind: "unusable", reason });
  let file: FileHandle;
  try {
    // Does not wait for a pipe's other end.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    return isMissing(error) ? { kind: "read", values: {} } : unusable(messageOf(error));
  }
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return unusable(settingTexts.notAFile());
    if (within !== null && !(await liesIn(path, within, stats))) return unusable(settingTexts.leadsOut());
    const buffer = Buffer.alloc(MAX_BYTES + 1);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    if (bytesRead > MAX_BYTES) return unusable(settingTexts.tooLarge(MAX_BYTES));
    const text = decode(buffer.subarray(0, bytesRead));
    return text === null ? unusable(settingTexts.notText()) : { kind: "read", values: { ...parseEnv(text) } };
  } catch (error) {
    return unusable(messageOf(error));
  } finally {
    await file.close();
  }
}

/** What was opened is what stands at the path now, and that is in the folder. */
async function liesIn(path: string, folder: string, opened: Stats): Promise<boolean> {
  const real = await realpath(path);
  const now = await stat(real);
  return (
    real.startsWith(`${(await realpath(folder)).replace(/[/\\]$/, "")}${sep}`) &&
    now.dev === opened.dev &&
    now.ino === opened.ino
  );
}

/** null: no text. A NUL can't be handed on in an environment. */
function decode(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
