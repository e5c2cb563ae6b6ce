import type { Reply } from "./send.ts";

/** What GitHub advises when it names no time. */
const UNNAMED_MS = 60_000;

/** How long GitHub wants no further request, or null when this answer is not about limits. */
export function readRateLimit({ status, headers, data }: Reply, now: number): number | null {
  if (status !== 403 && status !== 429) return null;
  const retryAfter = Number(headers["retry-after"]);
  if (headers["retry-after"] !== undefined && Number.isFinite(retryAfter))
    return Math.max(0, retryAfter * 1000);
  if (headers["x-ratelimit-remaining"] === "0") {
    const reset = Number(headers["x-ratelimit-reset"]) * 1000;
    // A second more: GitHub's clock counts in whole seconds.
    return Number.isFinite(reset) ? Math.max(0, reset - now) + 1000 : UNNAMED_MS;
  }
  const message = (data as { message?: unknown } | null)?.message;
  const isAboutLimits =
    typeof message === "string" && /secondary rate|rate limit|abuse detection/i.test(message);
  return status === 429 || isAboutLimits ? UNNAMED_MS : null;
}
