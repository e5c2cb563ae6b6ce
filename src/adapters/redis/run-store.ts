import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import { z } from "zod";
import { InternalError, UserError } from "../../core/errors.ts";
import { isId, type RunId } from "../../core/ids.ts";
import type { Ledger, RunStore, Unwatch } from "../../ports/run-store.ts";
import { explainRedis } from "./explain-redis.ts";
import { decodeEntries, encodeEvents, entrySchema } from "./ledger-entry.ts";
import { APPEND, LOAD_SINCE, TOP_ID } from "./ledger-scripts.ts";
import { runScript } from "./run-script.ts";
import { changeFeedOf } from "./watch-changes.ts";

const LOOK_EVERY_MS = 1000;

const outcomeSchema = z.tuple([z.int(), z.int()]);
const loadedSchema = z.tuple([z.int(), z.array(entrySchema)]);

type StoreOptions = {
  readonly redis: Redis;
  /** Separates repositories that share a Redis: an id such as `r12`. */
  readonly scope: string;
};

/**
 * Ledgers as streams: `loom:{<scope>/<run>}:events`, one entry per batch; see ledger-entry for its id. The index of runs
 * lies in another slot of a Cluster than the streams do, so it can't change together with them: a run is indexed before
 * its first event and once more behind it, and `list` leaves out what has no stream.
 */
export function createRedisRunStore({ redis, scope }: StoreOptions): RunStore {
  if (!isId(scope)) throw new InternalError(`${JSON.stringify(scope)} can't be the scope of runs`);
  const index = `loom:{${scope}}:runs`;
  const watches = new Set<Unwatch>();

  function streamOf(run: RunId): string {
    if (!isId(run)) {
      throw new UserError(`${JSON.stringify(run)} is not the name of a run.`, {
        next: "`loom runs` lists the runs there are.",
        exitCode: 2,
      });
    }
    return `loom:{${scope}/${run}}:events`;
  }

  async function loadSince(run: RunId, version: number): Promise<Ledger> {
    const stream = streamOf(run);
    const answer = await explainRedis(
      `read the ledger of run ${run}`,
      runScript(redis, LOAD_SINCE, [stream], [version]),
    );
    const [from, entries] = loadedSchema.parse(answer);
    const ledger = decodeEntries(stream, from, entries);
    return from < version ? { ...ledger, events: ledger.events.slice(version - from) } : ledger;
  }

  async function addToIndex(run: RunId): Promise<void> {
    await redis.sadd(index, run);
  }

  return {
    load: (run) => loadSince(run, 0),
    loadSince,

    async append(run, expectedVersion, events) {
      const stream = streamOf(run);
      const batch = events.length === 0 ? "" : encodeEvents(events);
      const isFirst = expectedVersion === 0 && events.length > 0;
      const args = [channelOf(stream), expectedVersion, events.length, randomUUID(), batch];
      const write = async (): Promise<unknown> => {
        if (isFirst) await addToIndex(run);
        const answer = await runScript(redis, APPEND, [stream], args);
        // Somebody may have removed the run, and its place in the index, in between.
        if (isFirst) await addToIndex(run);
        return answer;
      };
      const [won, version] = outcomeSchema.parse(
        await explainRedis(`write the ledger of run ${run}`, write()),
      );
      return { kind: won === 1 ? "appended" : "conflict", version };
    },

    async list() {
      const runs = (await explainRedis("list the runs", redis.smembers(index))).filter(isId).sort();
      const exist = await Promise.all(runs.map((run) => redis.exists(streamOf(run))));
      return runs.filter((_, n) => exist[n] === 1);
    },

    watch(run, onChange) {
      const unwatch = watchStream(redis, streamOf(run), onChange);
      watches.add(unwatch);
      return () => {
        watches.delete(unwatch);
        unwatch();
      };
    },

    async remove(run) {
      const stream = streamOf(run);
      await explainRedis(`remove run ${run}`, redis.srem(index, run));
      await explainRedis(`remove run ${run}`, redis.del(stream));
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
