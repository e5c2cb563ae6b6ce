import type { Redis } from "ioredis";
import type { Unwatch } from "../../../ports/ledger-store.ts";

/** Tells who listens on a channel; one connection per process, made when the first listens. */
export type ChangeFeed = { listen(channel: string, onMessage: () => void): Unwatch };

const feeds = new WeakMap<Redis, ChangeFeed>();

export function changeFeedOf(redis: Redis): ChangeFeed {
  const feed = feeds.get(redis) ?? createChangeFeed(redis);
  feeds.set(redis, feed);
  return feed;
}

function createChangeFeed(redis: Redis): ChangeFeed {
  const listeners = new Map<string, Set<() => void>>();
  let subscriber: Redis | null = null;

  function connect(): Redis {
    const made = redis.duplicate({
      connectionName: "loom-watch",
      lazyConnect: false,
      enableOfflineQueue: true,
      maxRetriesPerRequest: null,
      commandTimeout: undefined,
    });
    made.on("error", () => {});
    made.on("message", (channel: string) => {
      for (const tell of listeners.get(channel) ?? []) tell();
    });
    redis.once("end", () => made.disconnect());
    return made;
  }

  return {
    listen(channel, onMessage) {
      subscriber ??= connect();
      const connection = subscriber;
      const set = listeners.get(channel) ?? new Set();
      listeners.set(channel, set);
      // Each listener has its own function, so the same callback may listen twice.
      const tell = (): void => onMessage();
      set.add(tell);
      // Messages are a matter of speed only; without the right to subscribe the watcher's own look has to do.
      if (set.size === 1) connection.subscribe(channel).catch(() => {});
      return () => {
        if (!set.delete(tell) || set.size > 0) return;
        listeners.delete(channel);
        connection.unsubscribe(channel).catch(() => {});
        if (listeners.size > 0) return;
        connection.disconnect();
        subscriber = null;
      };
    },
  };
}
