import { auditTexts } from "../../../core/report/audit/audit-texts.ts";
import type { Host, RepoEngine } from "../host.ts";
import { NotYet } from "../plan/not-yet.ts";
import { type IncomingComment, nameOfComment } from "./incoming-comment.ts";
import { runOn } from "./run-on.ts";

/**
 * What a person said has one effect, whatever delivery brings it and however often (T33): GitHub signs what it sends, but not
 * the id under which it does, so who saw a message can send it again. What came of it is remembered under the name of what
 * was said, for longer than it may take to get here; later than that it is not heard at all. GitHub itself sends again what
 * is three days old at most.
 */
const LATEST_MS = 4 * 24 * 3_600_000;

export function isTooOld({ now }: Pick<Host, "now">, { at }: Pick<IncomingComment, "at">): boolean {
  return now() - Date.parse(at) > LATEST_MS;
}

/** Among all that was ever said in the repository. */
export function effectKey(incoming: Pick<IncomingComment, "number" | "comment" | "on">): string {
  return `reply/${incoming.number}/${nameOfComment(incoming)}`;
}

/** One at a time: of two messages that bring the same at once, the second finds what came of the first. */
export async function handleOnce(
  host: Host,
  engine: RepoEngine,
  incoming: IncomingComment,
  work: () => Promise<void>,
): Promise<void> {
  if (isTooOld(host, incoming)) {
    const { number, at, sender } = incoming;
    const what = auditTexts.tooOld(number, at);
    engine.audit.refused({
      boundary: "replay",
      rule: "too-old",
      ...(await runOn(engine, number)),
      who: sender.login,
      what,
    });
    return;
  }
  const turn = await engine.leases.acquire(`${engine.repo}/${effectKey(incoming)}`);
  if (turn.kind === "held") throw new NotYet(`what was said on #${incoming.number} is being acted on`);
  try {
    await work();
  } finally {
    await turn.release();
  }
}
