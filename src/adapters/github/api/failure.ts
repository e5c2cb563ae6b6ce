/** What GitHub answered when it did not do what it was asked. Made from the answer alone, so that no header and no token is in it. */
export class GitHubFailure extends Error {
  /** 0 when there was no answer, or one that can't be read. */
  readonly status: number;
  /** GitHub's own sentence. */
  readonly detail: string;
  /** A write that may have taken effect: look before it is repeated (F14). */
  readonly unsure: boolean;

  constructor(what: { route: string; status: number; detail: string; unsure: boolean }) {
    const { route, status, detail, unsure } = what;
    super(
      status === 0
        ? `GitHub gave no usable answer to ${route}: ${detail}`
        : `GitHub answered ${status} to ${route}: ${detail}`,
    );
    this.name = "GitHubFailure";
    this.status = status;
    this.detail = detail;
    this.unsure = unsure;
  }
}

/** GitHub wants to be left alone for longer than a job should wait. */
export class RateLimited extends Error {
  readonly retryMs: number;
  constructor(retryMs: number) {
    super(`GitHub asks to wait ${Math.ceil(retryMs / 1000)} s before the next request`);
    this.name = "RateLimited";
    this.retryMs = retryMs;
  }
}

export function isUnsure(error: unknown): boolean {
  return error instanceof GitHubFailure && error.unsure;
}

const DETAIL_CHARS = 600;

/** The sentence in an error's body: its message and what it says about single fields. */
export function detailOf(data: unknown): string {
  if (typeof data === "string") {
    const isPage = /^\s*</.test(data);
    return isPage ? "a web page instead of data" : cut(data.trim()) || "an empty answer";
  }
  if (typeof data !== "object" || data === null) return "an empty answer";
  const { message, errors } = data as { message?: unknown; errors?: unknown };
  const parts = [typeof message === "string" ? message : "no reason given"];
  if (Array.isArray(errors)) parts.push(...errors.map(fieldError));
  return cut(parts.join(" · "));
}

function fieldError(error: unknown): string {
  if (typeof error === "string") return error;
  if (typeof error !== "object" || error === null) return String(error);
  const { message, field, code } = error as Record<string, unknown>;
  if (typeof message === "string") return message;
  return [field, code].filter((part) => typeof part === "string").join(" ");
}

function cut(text: string): string {
  return text.length <= DETAIL_CHARS
    ? text
    : `${text.slice(0, DETAIL_CHARS)}… (${text.length - DETAIL_CHARS} more characters)`;
}
