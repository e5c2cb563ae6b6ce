import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { Cache } from "../../ports/cache.ts";
import { isDraft, removeOldDrafts, replaceFile } from "../os/replace-file.ts";

/** One file per entry. What can't be read counts as forgotten: nothing in a cache is worth a failure. */
const entrySchema = z.strictObject({ key: z.string(), value: z.string(), until: z.number().nullable() });
type Entry = z.infer<typeof entrySchema>;

type CacheOptions = { readonly root: string; readonly now?: () => number };

export function createEmbeddedCache({ root, now = Date.now }: CacheOptions): Cache {
  const pathOf = (key: string): string => join(root, fileNameFor(key));
  let isTidy = false;

  async function read(path: string): Promise<Entry | null> {
    const text = await unlessMissing(readFile(path, "utf8"));
    const entry = text === null ? null : parse(text);
    if (entry?.until == null || entry.until > now()) return entry;
    await rm(path, { force: true });
    return null;
  }

  return {
    async get(key) {
      return (await read(pathOf(key)))?.value ?? null;
    },

    async set(key, value, { ttlMs } = {}) {
      const entry: Entry = { key, value, until: ttlMs === undefined ? null : now() + ttlMs };
      await mkdir(root, { recursive: true });
      await replaceFile(pathOf(key), JSON.stringify(entry));
      if (isTidy) return;
      isTidy = true;
      await removeOldDrafts(root, now()).catch(() => {});
    },

    async list(prefix) {
      const names = ((await unlessMissing(readdir(root))) ?? []).filter((name) => !isDraft(name));
      const entries = await Promise.all(names.map((name) => read(join(root, name))));
      const found = entries.filter((entry) => entry?.key.startsWith(prefix)) as Entry[];
      return new Map(found.map(({ key, value }) => [key, value]));
    },

    async remove(key) {
      await rm(pathOf(key), { force: true });
    },
  };
}

/** A name that any text can have, whatever characters it holds. */
function fileNameFor(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function parse(text: string): Entry | null {
  try {
    return entrySchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | null> {
  return work.catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
}
