import * as z from "zod";
import type { Cache } from "../../ports/cache.ts";
import type { Harness, HarnessCheck } from "../../ports/harness.ts";

/**
 * Where workers say which agents they can start, so that the App, which may run none itself and holds no key, can tell a
 * person before a run is planned. What no worker has said anything about lately is unknown, not missing.
 */
export type HarnessBoard = {
  announce(): Promise<void>;
  look(id: string): Promise<HarnessCheck | null>;
};

const FRESH_MS = 600_000;
const checkSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("ready"), detail: z.string() }),
  z.object({ kind: z.literal("missing"), reason: z.string(), next: z.string() }),
]);

export function createHarnessBoard(
  cache: Cache,
  harnesses: ReadonlyMap<string, Harness>,
  isShared: boolean,
): HarnessBoard {
  const key = (id: string): string => `harness/${id}`;
  const read = async (id: string): Promise<HarnessCheck | null> => {
    const text = await cache.get(key(id));
    const parsed = text === null ? null : checkSchema.safeParse(JSON.parse(text));
    return parsed?.success ? parsed.data : null;
  };
  return {
    async announce() {
      if (!isShared) return;
      for (const [id, harness] of harnesses) {
        const check = await harness.check();
        // One worker that can do it is enough.
        if (check.kind === "missing" && (await read(id))?.kind === "ready") continue;
        await cache.set(key(id), JSON.stringify(check), { ttlMs: FRESH_MS });
      }
    },
    look: async (id) => (isShared ? read(id) : ((await harnesses.get(id)?.check()) ?? null)),
  };
}
