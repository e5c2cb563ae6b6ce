import { constants, type Stats } from "node:fs";
import { access, type FileHandle, open, realpath, stat } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { parseEnv } from "node:util";
import { settingTexts } from "../../core/config/settings/setting-texts.ts";
import { messageOf } from "../../core/errors.ts";
import type { Env } from "./env.ts";

const MAX_BYTES = 64 * 1024;

export type EnvFile =
  | { readonly kind: "read"; readonly values: Env }
  | { readonly kind: "missing" }
  | { readonly kind: "unusable"; readonly reason: string };

/** `objection`: asked about the file that was opened; why it is not to be used, or null. */
export async function readEnvFile(
  path: string,
  objection: (opened: Stats) => Promise<string | null>,
): Promise<EnvFile> {
  const unusable = (reason: string): EnvFile => ({ kind: "unusable", reason });
  let file: FileHandle;
  try {
    // Does not wait for a pipe's other end.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    return isMissing(error) ? { kind: "missing" } : unusable(messageOf(error));
  }
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return unusable(settingTexts.notAFile());
    const reason = await objection(stats);
    if (reason !== null) return unusable(reason);
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

/** What was opened is what stands at the path now, and that is in the folder once links are followed. */
export async function liesIn(path: string, folder: string, opened: Stats): Promise<boolean> {
  const real = await realpath(path);
  const now = await stat(real);
  return (
    real.startsWith(`${(await realpath(folder)).replace(/[/\\]$/, "")}${sep}`) &&
    now.dev === opened.dev &&
    now.ino === opened.ino
  );
}

/** The root of the checkout that a folder is in; null where there is none. Git is not asked: it would read settings of the repository. */
export async function findCheckout(folder: string): Promise<string | null> {
  for (let at = folder; ; at = dirname(at)) {
    if (await exists(join(at, ".git"))) return at;
    if (dirname(at) === at) return null;
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
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
