import { Redis, type RedisOptions } from "ioredis";
import { UserError } from "../../core/errors.ts";

/**
 * `producer`: for whoever owes somebody an answer soon, such as a webhook. Without Redis every call fails within a second,
 * so that the sender hears an error and sends again (F11).
 * `worker`: for whoever has time. Calls wait until Redis is back, and blocking reads are allowed.
 */
export type RedisRole = "producer" | "worker";

type ConnectOptions = {
  readonly role: RedisRole;
  /** Told what goes wrong with the connection; it fixes itself. */
  readonly onWarning?: (message: string) => void;
  readonly connectTimeoutMs?: number;
  /** For certificates that the machine does not know yet, and for client certificates. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
};

type Settings = Omit<RedisOptions, "replyMapping">;

const ANSWER_WITHIN_MS = 1000;
const LONGEST_PAUSE_MS = 1000;

/** Until when a lost connection is made anew; shared with the connections that are copied from it. */
const deadlines = new WeakMap<Redis, { at: number }>();

/** `redis://` or `rediss://` (TLS), with user and password where the server asks for them. Close it with `quit`. */
export async function connectRedis(url: string, options: ConnectOptions): Promise<Redis> {
  const place = placeOf(url);
  const deadline = { at: Number.POSITIVE_INFINITY };
  const settings: Settings = {
    lazyConnect: true,
    connectionName: `loom-${options.role}`,
    connectTimeout: options.connectTimeoutMs ?? 5000,
    retryStrategy: (times) =>
      performance.now() < deadline.at ? Math.min(50 * times, LONGEST_PAUSE_MS) : null,
    // A standby that was a primary a moment ago, or is loading, will do again after a new connection.
    reconnectOnError: (error) => error.message.startsWith("READONLY"),
    ...(options.role === "producer" ? PRODUCER : WORKER),
    ...(place.isEncrypted ? { tls: { ...options.tls } } : {}),
  };
  const redis = new Redis(url, settings);
  deadlines.set(redis, deadline);
  let last: Error | null = null;
  redis.on("error", (error: Error) => {
    last = error;
    options.onWarning?.(`Redis at ${place.shown}: ${error.message || (error as NodeJS.ErrnoException).code}`);
  });
  try {
    await redis.connect();
    await redis.ping();
    // BullMQ copies the connection. A lazy copy that loses Redis while it is being made gives up, and with it the worker
    // that was to use it, for good and in silence; one that connects by itself waits until Redis is back.
    redis.options.lazyConnect = false;
  } catch (error) {
    redis.disconnect();
    throw unreachable(place.shown, last ?? error);
  }
  return redis;
}

/**
 * For whoever is about to close: a Redis that does not come back within this time is not waited for any longer. Calls
 * that wait for it fail then, also on the connections that BullMQ has made from this one, which nobody else can end.
 */
export function stopReconnecting(redis: Redis, afterMs: number): void {
  const deadline = deadlines.get(redis);
  if (deadline) deadline.at = Math.min(deadline.at, performance.now() + afterMs);
}

export function isWorkerConnection(redis: Redis): boolean {
  return redis.options.maxRetriesPerRequest === null;
}

const PRODUCER: Settings = {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  commandTimeout: ANSWER_WITHIN_MS,
};
const WORKER: Settings = { maxRetriesPerRequest: null };

function placeOf(url: string): { readonly isEncrypted: boolean; readonly shown: string } {
  try {
    const { protocol, hostname, port } = new URL(url);
    if (protocol === "redis:" || protocol === "rediss:") {
      // Never the whole address: it holds the password.
      return { isEncrypted: protocol === "rediss:", shown: `${hostname}:${port || 6379}` };
    }
  } catch {
    // Explained below.
  }
  throw new UserError("The address of Redis can't be read.", {
    next: "Write it as redis://host:6379, rediss://host:6379 for TLS, or redis://user:password@host:6379.",
    exitCode: 2,
  });
}

function unreachable(place: string, cause: unknown): UserError {
  const { message, code } = cause as NodeJS.ErrnoException;
  const isRefused = /WRONGPASS|NOAUTH|NOPERM/.test(message);
  const next = isRefused
    ? "Check user and password in REDIS_URL, and that the user may run commands."
    : "Start Redis, or set REDIS_URL to where it runs.";
  return new UserError(`Redis at ${place} can't be used: ${message || code}`, { next, cause });
}
