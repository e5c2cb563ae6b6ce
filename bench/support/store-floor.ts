import { closeSync, fdatasync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Redis } from "ioredis";

const flush = promisify(fdatasync);

/** What a store needs at the least to keep a webhook. */
export type KeepText = (text: string) => Promise<void>;

/** At the end of a file, and on the disk. */
export function keepOnDisk(folder: string): KeepText {
  const file = openSync(join(folder, "floor.log"), "a");
  process.once("exit", () => closeSync(file));
  return async (text) => {
    writeSync(file, `${text}\n`);
    await flush(file);
  };
}

/** Under a key: there and back once. */
export async function keepInRedis(url: string): Promise<KeepText> {
  const redis = new Redis(url);
  await redis.ping();
  let count = 0;
  return async (text) => {
    await redis.set(`floor:${++count}`, text);
  };
}
