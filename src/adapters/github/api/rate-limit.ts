import type { Reply } from "./send.ts";

/** What GitHub advises when it names no time. */
const UNNAMED_MS = 60_000;

/** How long GitHub wants no further request, or null when this answer is not about limits. */
export function readRateLimit(reply: Reply, now: number): number | null {
  const { status, headers, data } = reply;
  const isQuery = isLimitedQuery(reply);
  if (status !== 403 && status !== 429 && !isQuery) return null;
  const retryAfter = Number(headers["retry-after"]);
  if (headers["retry-after"] !== undefined && Number.isFinite(retryAfter))
    return Math.max(0, retryAfter * 1000);
  if (headers["x-ratelimit-remaining"] === "0") {
    const reset = Number(headers["x-ratelimit-reset"]) * 1000;
    // A second more: GitHub's clock counts in whole seconds.
    return Number.isFinite(reset) ? Math.max(0, reset - now) + 1000 : UNNAMED_MS;
  }
  const isAboutLimits = isQuery || namesLimits((data as { message?: unknown } | null)?.message);
  return status === 429 || isAboutLimits ? UNNAMED_MS : null;
}

/** GraphQL says it with status 200. */
function isLimitedQuery({ status, data }: Reply): boolean {
  const errors = (data as { errors?: unknown } | null)?.errors;
  if (status !== 200 || !Array.isArray(errors)) return false;
  return errors.some((error: { type?: unknown; message?: unknown } | null) => {
    return error?.type === "RATE_LIMITED" || namesLimits(error?.message);
  });
}

function namesLimits(message: unknown): boolean {
  return typeof message === "string" && /secondary rate|rate limit|abuse detection/i.test(message);
}
