import { COMMANDS, mayUse } from "../../../core/command/commands.ts";
import type { Errand } from "../../../core/errand/errand.ts";
import type { ErrandOutcome } from "../../../core/errand/errand-events.ts";
import { type ErrandKind, isAudit } from "../../../core/errand/errand-kinds.ts";
import { routeOfErrand } from "../../../core/errand/errand-role.ts";
import { isDropped } from "../../../core/errand/is-dropped.ts";
import { defaultsAt, patienceOf } from "../../../core/errand/patience.ts";
import { unreadWords } from "../../../core/errand/unread-words.ts";
import { wishOf } from "../../../core/errand/wish-of.ts";
import { needsPerson, UserError } from "../../../core/errors.ts";
import { errandEnd } from "../../../core/report/errand-end.ts";
import { errandTexts } from "../../../core/report/errand-texts.ts";
import { costFooter, errandReplies } from "../../../core/report/github/errand-replies.ts";
import { planningReplies } from "../../../core/report/github/planning-replies.ts";
import { sandboxTexts } from "../../../core/report/sandbox-texts.ts";
import { type ErrandOffice, refusedFor, type WhyNot } from "../../errand/errand-office.ts";
import type { Host, RepoEngine } from "../host.ts";
import { deliverAudit } from "./deliver-audit.ts";
import { deliverPlan } from "./deliver-plan.ts";
import { deliverRevision, planToAmend } from "./deliver-revision.ts";
import type { Delivered } from "./delivered.ts";
import { earlierFindings } from "./earlier-findings.ts";
import { fetchScope } from "./fetch-scope.ts";

/**
 * A thread on GitHub. One comment per errand says that somebody is at it, and later what came of it; questions, a reminder
 * and the defaults have comments of their own, because people have to be told of them.
 */
export function createThreadOffice(host: Host, engine: RepoEngine): ErrandOffice {
  const comment = (errand: Errand, name: string, body: string): Promise<{ readonly comment: number }> =>
    engine.hub.comment(threadOf(errand), `errand-${errand.id}-${name}`, body);
  return {
    async fetch(errand) {
      await assertStillAllowed(engine, errand);
      await fetchScope(engine, errand);
    },
    async ask(errand) {
      const { assessment } = errand;
      const wish = wishOf(errand);
      const { remindMs, defaultMs } = patienceOf(wish);
      const questions = planningReplies.questions(assessment?.questions ?? [], {
        depth: wish.depth,
        why: assessment?.why ?? "",
        remindIn: remindMs,
        defaultIn: defaultMs,
      });
      return { ...(await comment(errand, "questions", questions)), answers: null };
    },
    async remind(errand) {
      const now = engine.now();
      const defaultIn = defaultsAt(errand, wishOf(errand), now) - now;
      const questions = errand.assessment?.questions ?? [];
      await comment(errand, "reminder", planningReplies.reminder(questions, errand.given, defaultIn));
    },
    async sayDefaults({ assessment, answers, ...errand }) {
      const body = planningReplies.defaultsTaken(assessment?.questions ?? [], answers ?? []);
      await comment({ ...errand, assessment, answers }, "defaults", body);
    },
    earlierFindings: (errand) => earlierFindings(engine, errand),
    planToAmend: (errand) => planToAmend(host, engine, errand),
    deliver: (errand) => tell(engine, errand, () => deliver(host, engine, errand)),
    giveUp: (errand, why) =>
      tell(engine, errand, async () => {
        const there = whatIsThere(engine, errand, why.reason && `${why.reason} ${why.next}`.trimEnd());
        return there ?? gaveUp(errand, why);
      }),
  };
}

/** Between a command and its agent there may be days, and people leave. Throws when GitHub can't say (T1). */
async function assertStillAllowed({ hub }: RepoEngine, { kind, origin }: Errand): Promise<void> {
  if (!origin) return;
  const role = await hub.roleOf({ login: origin.by, id: origin.byId });
  const verb = kind === "plan" ? "run" : kind;
  if (mayUse(verb, role)) return;
  throw new UserError(errandTexts.roleLost({ by: origin.by, verb, least: COMMANDS[verb].role, role }), {
    next: errandTexts.roleLostNext(),
  });
}

/** What was found out and paid for, and could not be handed over as it should be: in one comment rather than lost. */
function whatIsThere({ webUrl }: RepoEngine, errand: Errand, why: string | null): Delivered | null {
  const { kind, text, answer, result, commit } = errand;
  if (isDropped(errand)) return null;
  if (answer !== null) return { text: errandReplies.answered(text, answer), outcome: { kind: "answered" } };
  if (!result || !isAudit(kind)) return null;
  return {
    text: errandReplies.auditInOne(kind, result, { blob: `${webUrl}/blob/${commit}` }, why),
    // Nothing of it is sure to stand on a line.
    outcome: { kind: "audited", findings: result.findings.length, stale: true },
  };
}

/** Words that Loom could not put on lines may still be of use to people. */
function gaveUp(errand: Errand, why: WhyNot): Delivered {
  const end = errandEnd(errand, why);
  const words = unreadWords(errand);
  const text =
    words !== null && isAudit(errand.kind)
      ? errandReplies.unreadable(errand.kind, words, why.failure?.kind === "contract-unmet" ? null : end)
      : errandReplies.failed(errand.kind, end);
  return { text, outcome: refusedFor({ ...why, next: end.next }) };
}

async function deliver(host: Host, engine: RepoEngine, errand: Errand): Promise<Delivered> {
  const { cancelledBy, kind } = errand;
  if (cancelledBy !== null && isDropped(errand))
    return {
      text: cancelledText(kind, cancelledBy),
      outcome: { kind: "cancelled", by: cancelledBy },
    };
  if (kind === "plan") return deliverPlan(host, engine, errand);
  if (kind === "revise") return deliverRevision(host, engine, errand);
  if (kind === "ask")
    return { text: errandReplies.answered(errand.text, errand.answer ?? ""), outcome: { kind: "answered" } };
  const audited = await deliverAudit(host, engine, errand);
  if (cancelledBy === null) return audited;
  return { ...audited, text: `${audited.text.trimEnd()}\n\n${errandReplies.cancelledLate(cancelledBy)}` };
}

function cancelledText(kind: ErrandKind, by: string): string {
  if (kind === "plan") return planningReplies.cancelled(by);
  return kind === "revise" ? planningReplies.revisionCancelled(by) : errandReplies.cancelled(by);
}

/** The outcome, with what it cost. What a person has to mend is told like any other outcome. */
async function tell(
  engine: RepoEngine,
  errand: Errand,
  work: () => Promise<Delivered>,
): Promise<ErrandOutcome> {
  const { text, outcome } = await work().catch((error: unknown): Delivered => {
    if (!needsPerson(error)) throw error;
    const next = error.next ?? "";
    const there = whatIsThere(engine, errand, `${error.message} ${next}`.trimEnd());
    if (there) return there;
    return {
      text: errandReplies.failed(errand.kind, { reason: error.message, evidence: null, next }),
      outcome: { kind: "refused", reason: error.message, next },
    };
  });
  const parts = [
    text.trimEnd(),
    ...(errand.unconfined ? [sandboxTexts.taskHadNone()] : []),
    costFooter(errand),
  ];
  await say(engine, errand, parts.join("\n\n"));
  return outcome;
}

/** The one comment of an errand, made or changed. */
export async function say(engine: RepoEngine, errand: Errand, body: string): Promise<void> {
  await engine.hub.comment(threadOf(errand), `errand-${errand.id}`, body, errand.line?.remark);
}

export function startedText(errand: Errand): string {
  const { kind, plan } = errand;
  const { harness } = routeOfErrand(errand);
  if (kind === "plan") return planningReplies.started({ harness, express: plan?.workflow === "express" });
  return kind === "revise" ? planningReplies.revisionStarted(harness) : errandReplies.started(kind, harness);
}

function threadOf({ origin }: Errand): number {
  if (!origin) throw new UserError("This was not asked for on GitHub.");
  return origin.issue;
}
