import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import * as z from "zod";
import { InternalError, UserError } from "../../../core/errors.ts";
import { isId } from "../../../core/ids.ts";
import type { LedgerWords } from "../../../core/report/audit/ledger-words.ts";
import type { Ledger, LedgerStore, Unwatch } from "../../../ports/ledger-store.ts";
import { explainRedis } from "../explain-redis.ts";
import { runScript } from "../run-script.ts";
import { createLedgerEntries, entrySchema } from "./ledger-entry.ts";
import { APPEND, LOAD_SINCE, TOP_ID } from "./ledger-scripts.ts";
import { changeFeedOf } from "./watch-changes.ts";

const LOOK_EVERY_MS = 1000;

const outcomeSchema = z.tuple([z.int(), z.int()]);
const loadedSchema = z.tuple([z.int(), z.array(entrySchema)]);

export type RedisLedgers<E> = {
  readonly redis: Redis;
  /** Separates repositories that share a Redis: an id such as `r12`. */
  readonly scope: string;
  readonly schema: z.ZodType<E>;
  readonly words: LedgerWords;
  /** Names of the index and of the streams; no two kinds of ledgers have the same. */
  readonly keys: { readonly index: string; readonly stream: string };
};

/**
 * Ledgers as streams: `loom:{<scope>/<id>}:<stream>`, one entry per batch; see ledger-entry for its id. The index of
 * ledgers lies in another slot of a Cluster than the streams do, so it can't change together with them: a ledger is
 * indexed before its first event and once more behind it, and `list` leaves out what has no stream.
 */
export function createRedisLedgerStore<E>(options: RedisLedgers<E>): LedgerStore<E> {
  const { redis, scope, schema, words, keys } = options;
  if (!isId(scope)) throw new InternalError(`${JSON.stringify(scope)} can't be the scope of ${words.many}`);
  const index = `loom:{${scope}}:${keys.index}`;
  const codec = createLedgerEntries(schema, words);
  const watches = new Set<Unwatch>();

  function streamOf(id: string): string {
    if (!isId(id)) {
      throw new UserError(`${JSON.stringify(id)} is not the name of ${words.withArticle}.`, {
        next: words.seeNames,
        exitCode: 2,
      });
    }
    return `loom:{${scope}/${id}}:${keys.stream}`;
  }

  async function loadSince(id: string, version: number): Promise<Ledger<E>> {
    const stream = streamOf(id);
    const answer = await explainRedis(
      `read the ledger of ${words.one} ${id}`,
      runScript(redis, LOAD_SINCE, [stream], [version]),
    );
    const [from, entries] = loadedSchema.parse(answer);
    const ledger = codec.decode(stream, from, entries);
    return from < version ? { ...ledger, events: ledger.events.slice(version - from) } : ledger;
  }

  async function addToIndex(id: string): Promise<void> {
    await redis.sadd(index, id);
  }

  return {
    load: (id) => loadSince(id, 0),
    loadSince,

    async append(id, expectedVersion, events) {
      const stream = streamOf(id);
      const batch = events.length === 0 ? "" : codec.encode(events);
      const isFirst = expectedVersion === 0 && events.length > 0;
      const args = [channelOf(stream), expectedVersion, events.length, randomUUID(), batch];
      const write = async (): Promise<unknown> => {
        if (isFirst) await addToIndex(id);
        const answer = await runScript(redis, APPEND, [stream], args);
        // Somebody may have removed the ledger, and its place in the index, in between.
        if (isFirst) await addToIndex(id);
        return answer;
      };
      const [won, version] = outcomeSchema.parse(
        await explainRedis(`write the ledger of ${words.one} ${id}`, write()),
      );
      return { kind: won === 1 ? "appended" : "conflict", version };
    },

    async list() {
      const ids = (await explainRedis(`list the ${words.many}`, redis.smembers(index))).filter(isId).sort();
      const exist = await Promise.all(ids.map((id) => redis.exists(streamOf(id))));
      return ids.filter((_, n) => exist[n] === 1);
    },

    watch(id, onChange) {
      const unwatch = watchStream(redis, streamOf(id), onChange);
      watches.add(unwatch);
      return () => {
        watches.delete(unwatch);
        unwatch();
      };
    },

    async remove(id) {
      const stream = streamOf(id);
      await explainRedis(`remove ${words.one} ${id}`, redis.srem(index, id));
      await explainRedis(`remove ${words.one} ${id}`, redis.del(stream));
      await redis.publish(channelOf(stream), "removed").catch(() => {});
    },

    async close() {
      for (const unwatch of watches) unwatch();
      watches.clear();
    },
  };
}

function channelOf(stream: string): string {
  return `${stream}:changed`;
}

/**
 * A message makes it quick; it may get lost while the connection is away, so a slow look makes it sure. The first look
 * always tells: the ledger may have grown before it.
 */
function watchStream(redis: Redis, stream: string, onChange: () => void): Unwatch {
  let seen: unknown = null;
  let ended = false;
  let looking = 0;
  const look = async (): Promise<void> => {
    const top = await runScript(redis, TOP_ID, [stream], []);
    if (top !== seen && !ended) onChange();
    seen = top;
  };
  const lookAgain = (): void => {
    // While Redis is away looks would pile up.
    if (looking > 1) return;
    looking += 1;
    look()
      .catch(() => {})
      .finally(() => {
        looking -= 1;
      });
  };
  lookAgain();
  const unlisten = changeFeedOf(redis).listen(channelOf(stream), () => {
    onChange();
    lookAgain();
  });
  const timer = setInterval(lookAgain, LOOK_EVERY_MS).unref();
  return () => {
    ended = true;
    clearInterval(timer);
    unlisten();
  };
}
