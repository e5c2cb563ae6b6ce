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
