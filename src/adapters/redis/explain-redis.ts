import { messageOf, StoreTrouble, UserError } from "../../core/errors.ts";

/** Waits for a call to Redis and says in a failure's place what could not be done and what helps. */
export async function explainRedis<T>(deed: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new StoreTrouble(`Failed to ${deed}: ${messageOf(error)}`, {
      next: messageOf(error).startsWith("OOM")
        ? "Give Redis more memory (maxmemory). Nothing is lost; Loom goes on by itself."
        : "See that Redis is up and can be reached. Nothing is lost; Loom goes on by itself.",
      cause: error,
    });
  }
}
