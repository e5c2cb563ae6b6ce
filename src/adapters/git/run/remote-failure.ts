import { UserError } from "../../../core/errors.ts";
import { GitFailure } from "./git-failure.ts";

/** What a person can fix, said as such; everything else as git said it. */
export function remoteFailure(url: string, error: unknown): unknown {
  if (!(error instanceof GitFailure)) return error;
  const status = httpStatus(error.stderr);
  if (status === 401) {
    return new UserError(`${url} does not accept Loom's token.`, {
      next: "Check that the app is still installed on this repository, then try again.",
      cause: error,
    });
  }
  if (status === 403) {
    return new UserError(`${url} does not let Loom in.`, {
      next: "Check that the app may read and write the contents of this repository, then try again.",
      cause: error,
    });
  }
  if (status === 404) {
    return new UserError(`There is no repository at ${url} that Loom may see.`, {
      next: "Check its name, and that the app is installed on it.",
      cause: error,
    });
  }
  if (status !== null && status >= 300 && status < 400) {
    return new UserError(`The repository has moved away from ${url}.`, {
      next: "Use its new address. Loom does not follow, because its token would go along.",
      cause: error,
    });
  }
  return error;
}

/** null when the other side did not get as far as an answer of that kind. */
export function httpStatus(stderr: string): number | null {
  // Refused credentials make git want to ask a person.
  if (/could not read Username|Authentication failed/.test(stderr)) return 401;
  if (/repository '[^']*' not found/.test(stderr)) return 404;
  const [, status] = /(?:returned error:|HTTP) (\d{3})/.exec(stderr) ?? [];
  return status === undefined ? null : Number(status);
}
