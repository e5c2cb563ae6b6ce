import { toId } from "../ids.ts";

/** For the end of a sentence about a label that is none. */
export const LABEL_RULE = "must be a label of letters, digits and dashes, 63 at most";

const WRITTEN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/**
 * The label of a runner, as queues are named after it: plans, `loom.yml`, workers and ledgers all come through here, so
 * that `Linux_Large`, `linux.large` and `linux-large` are one runner. null: it is none, and no job may go to "any
 * worker" because of it. Rejected: taking labels to the letter, for a worker that is written otherwise waits for ever.
 */
export function runnerLabel(written: string): string | null {
  return WRITTEN.test(written) ? toId(written) : null;
}
