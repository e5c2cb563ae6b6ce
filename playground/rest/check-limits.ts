import { Refusal } from "../model/refusal.ts";
import type { RequestRecord } from "../model/types.ts";
import type { World } from "../model/world.ts";
import type { Caller } from "./call.ts";

const A_MINUTE = 60_000;
const AN_HOUR = 60 * A_MINUTE;
/** Of a limit that is not there. */
export const UNLIMITED = Number.MAX_SAFE_INTEGER;

export type LimitState = {
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  /** Seconds since the epoch. */
  readonly reset: number;
};

/** Whose budget a request uses. */
export function budgetOf(caller: Caller): string {
  switch (caller.kind) {
    case "app":
      return `app:${caller.app.id}`;
    case "installation":
      return `installation:${caller.installation.id}`;
    case "user":
      return `user:${caller.login}`;
    case "anonymous":
      return "anonymous";
  }
}

/** 304 and asking for the limit cost nothing; what a secondary limit refused is not counted again. */
function counts(record: RequestRecord): boolean {
  return record.status !== 304 && record.status !== 429 && record.route !== "GET /rate_limit";
}

/** Then nothing is counted: that takes longer the more was asked in the last hour. */
function isUnlimited({ github: { limits } }: World): boolean {
  const { primary, pointsPerMinute, contentPerMinute, contentPerHour } = limits;
  return [primary, pointsPerMinute, contentPerMinute, contentPerHour].every((limit) => limit === UNLIMITED);
}

export function limitState(world: World, actor: string): LimitState {
  if (isUnlimited(world))
    return { limit: UNLIMITED, used: 0, remaining: UNLIMITED, reset: Math.ceil(world.clock.now() / 1000) };
  const used = recent(world, actor, AN_HOUR).filter(counts);
  const { primary } = world.github.limits;
  const first = used[0]?.at ?? world.clock.now();
  return {
    limit: primary,
    used: used.length,
    remaining: Math.max(0, primary - used.length),
    reset: Math.ceil((first + AN_HOUR) / 1000),
  };
}

/** The refusal with its retry-after, or null. `running` counts requests of this caller that have no answer yet. */
export function checkLimits(
  world: World,
  request: RequestRecord,
  running: number,
): { readonly refusal: Refusal; readonly retryAfter: number | null } | null {
  const { limits } = world.github;
  const { actor } = request;
  if (isUnlimited(world)) return running > limits.concurrent ? secondary(1) : null;
  const hour = recent(world, actor, AN_HOUR).filter((one) => one !== request && counts(one));
  if (hour.length >= limits.primary) {
    return { refusal: new Refusal(403, `API rate limit exceeded for ${actor}.`), retryAfter: null };
  }
  if (running > limits.concurrent) return secondary(1);
  const since = world.clock.now() - A_MINUTE;
  const minute = hour.filter((one) => one.at > since);
  const points = minute.reduce((sum, one) => sum + cost(one.method), cost(request.method));
  if (points > limits.pointsPerMinute) return secondary(wait(world, minute[0], A_MINUTE));
  if (!request.createsContent) return null;
  const made = minute.filter((one) => one.createsContent);
  if (made.length >= limits.contentPerMinute) return secondary(wait(world, made[0], A_MINUTE));
  const content = hour.filter((one) => one.createsContent);
  if (content.length >= limits.contentPerHour) return secondary(wait(world, content[0], AN_HOUR));
  return null;
}

function secondary(retryAfter: number) {
  const message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
  return { refusal: new Refusal(429, message), retryAfter };
}

function cost(method: string): number {
  return method === "GET" || method === "HEAD" || method === "OPTIONS" ? 1 : 5;
}

function wait(world: World, oldest: RequestRecord | undefined, span: number): number {
  return Math.max(1, Math.ceil(((oldest?.at ?? world.clock.now()) + span - world.clock.now()) / 1000));
}

/** Oldest first. Records stand in order of time, so the walk stops at the first that is too old. */
function recent(world: World, actor: string, span: number): RequestRecord[] {
  const { requests } = world.github;
  const since = world.clock.now() - span;
  const found: RequestRecord[] = [];
  for (let at = requests.length - 1; at >= 0; at -= 1) {
    const record = requests[at];
    if (!record || record.at <= since) break;
    if (record.actor === actor && record.route !== null) found.push(record);
  }
  return found.reverse();
}
