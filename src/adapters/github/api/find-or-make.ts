import { isUnsure } from "./failure.ts";
import type { Pause } from "./send.ts";

const ROUNDS = 4;

/**
 * Looks, makes what is missing, and looks again when it is not clear whether making it worked. `make` resolves with null
 * when GitHub says that it exists already.
 */
export async function findOrMake<T>(
  find: () => Promise<T | null>,
  make: () => Promise<T | null>,
  pause: Pause,
): Promise<T> {
  let trouble: unknown = new Error("it is said to exist, but can't be found");
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round > 0) await pause(1000 * round);
    const found = await find();
    if (found !== null) return found;
    try {
      const made = await make();
      if (made !== null) return made;
    } catch (error) {
      if (!isUnsure(error)) throw error;
      trouble = error;
    }
  }
  throw trouble;
}
