import { needsPerson } from "../../../core/errors.ts";
import { auditTexts } from "../../../core/report/audit/audit-texts.ts";
import { replies } from "../../../core/report/github/run/replies.ts";
import type { Reply } from "../../../core/report/github/run/shelved.ts";
import type { Run } from "../../../core/run/run.ts";
import { noteHeard } from "../../run/steer-run.ts";
import type { RepoEngine } from "../host.ts";
import { gestureOf } from "./gesture-of.ts";
import type { IncomingComment } from "./incoming-comment.ts";

/**
 * A command changes its run once, even when Loom no longer remembers the comment: whoever can write to the store can delete
 * what is remembered and send the comment again (T33). So the run's signed ledger lists the commands it has heard. One that
 * was carried out is listed in the same write as its effect, one that was refused right after. A command that is older than
 * the run was meant for another run.
 */
export async function hearCommand(
  engine: RepoEngine,
  run: Run,
  incoming: IncomingComment,
  act: (gesture: string) => Promise<Reply>,
): Promise<Reply> {
  const gesture = gestureOf.comment(incoming);
  const before = run.gestures.get(gesture);
  if (before !== undefined) {
    refuse(engine, run, incoming, "used");
    return { ok: before === "done", text: replies.heardBefore() };
  }
  if (isOlder(incoming, run.origin)) {
    refuse(engine, run, incoming, "older");
    return { ok: false, text: replies.olderThanRun() };
  }
  const reply = await orRefusal(act(gesture));
  if (!reply.ok) await noteHeard(engine, run.id, gesture, "refused");
  return reply;
}

async function orRefusal(acting: Promise<Reply>): Promise<Reply> {
  try {
    return await acting;
  } catch (error) {
    if (!needsPerson(error)) throw error;
    return { ok: false, text: replies.refusal(error.message, error.next) };
  }
}

/** By GitHub's clock, on both sides. */
export function isOlder(
  { at }: Pick<IncomingComment, "at">,
  origin: { readonly at?: string | undefined } | null,
): boolean {
  return origin?.at !== undefined && Date.parse(at) < Date.parse(origin.at);
}

function refuse(
  { audit }: RepoEngine,
  run: Run,
  { number, sender }: IncomingComment,
  rule: "used" | "older",
): void {
  const what = rule === "used" ? auditTexts.heardBefore(number) : auditTexts.olderThanRun(number);
  audit.refused({ boundary: "replay", rule, run: run.id, who: sender.login, what });
}
