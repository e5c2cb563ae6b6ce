import { Redis } from "ioredis";

/** Of what is stored, in bytes: without what Redis needs for itself. */
export async function usedMemory(url: string): Promise<number> {
  const redis = new Redis(url);
  try {
    return Number(/^used_memory_dataset:(\d+)/m.exec(await redis.info("memory"))?.[1]);
  } finally {
    redis.disconnect();
  }
}

/** Of one key and all that is in it, in bytes. */
export async function memoryOf(redis: Redis, key: string): Promise<number> {
  return Number(await redis.call("MEMORY", "USAGE", key, "SAMPLES", "0"));
}

/** What Redis has used of the CPU so far, in milliseconds. */
export async function redisCpu(redis: Redis): Promise<number> {
  const info = await redis.info("cpu");
  const seconds = (name: string): number =>
    Number(new RegExp(`^used_cpu_${name}:([\\d.]+)`, "m").exec(info)?.[1]);
  return 1000 * (seconds("user") + seconds("sys"));
}

/** The same for a short look. */
export async function redisCpuOf(url: string): Promise<number> {
  const redis = new Redis(url);
  try {
    return await redisCpu(redis);
  } finally {
    redis.disconnect();
  }
}
