import { closeSync, fdatasync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Redis } from "ioredis";

const flush = promisify(fdatasync);

/** What a store needs at the least to keep a delivery: times in milliseconds. */
export type StoreFloor = { one(): Promise<number>; close(): void };

/** The delivery at the end of a file, and on the disk. */
export function diskFloor(folder: string, text: string): StoreFloor {
  const file = openSync(join(folder, "floor.log"), "a");
  return {
    async one() {
      const started = performance.now();
      writeSync(file, `${text}\n`);
      await flush(file);
      return performance.now() - started;
    },
    close: () => closeSync(file),
  };
}

/** The delivery under a key: there and back once. */
export async function redisFloor(url: string, text: string): Promise<StoreFloor> {
  const redis = new Redis(url);
  await redis.ping();
  let count = 0;
  return {
    async one() {
      const started = performance.now();
      await redis.set(`floor:${++count}`, text);
      return performance.now() - started;
    },
    close: () => redis.disconnect(),
  };
}
