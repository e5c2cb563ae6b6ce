import { ProbotOctokit } from "probot";

/**
 * Probot makes an authenticated client of GitHub for every event it hands on. Its intake asks GitHub nothing, so it gets
 * the same idle client each time: that saves most of the time an answer takes, and a mistake in a handler can't spend the
 * App's requests, because this client holds no key (T17).
 */
export function octokitWithoutAccess(): typeof ProbotOctokit {
  return ProbotOctokit.defaults({ authStrategy: createNoAuth }) as typeof ProbotOctokit;
}

function createNoAuth(options: { octokit: unknown }) {
  const auth = async ({ type }: { type?: string } = {}): Promise<unknown> =>
    type === "event-octokit" ? options.octokit : { type: "unauthenticated" };
  const hook = async (): Promise<never> => {
    throw new Error("the intake asks GitHub nothing");
  };
  return Object.assign(auth, { hook });
}
