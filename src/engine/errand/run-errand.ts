import type { Errand, ErrandId } from "../../core/errand/errand.ts";
import type { Answer } from "../../core/errand/errand-events.ts";
import { type ErrandStep, nextErrandStep } from "../../core/errand/next-errand-step.ts";
import { assertNever } from "../../core/errors.ts";
import type { Millis } from "../../core/ids.ts";
import { completeAnswers } from "../../core/planning/read-answers.ts";
import type { Feed } from "../../ports/feed.ts";
import { timestamp } from "../engine.ts";
import { Interrupted } from "../interrupted.ts";
import { degradePlan } from "./degrade-plan.ts";
import { claimErrand, ErrandLost, watchErrand, writeErrand } from "./errand-claim.ts";
import { atDesk, type ErrandDesk } from "./errand-desk.ts";
import type { ErrandEngine } from "./errand-engine.ts";
import type { ErrandOffice } from "./errand-office.ts";
import { planOn } from "./plan-on.ts";
import { tellWhatIsThere } from "./tell-what-is-there.ts";

export type ErrandProgress =
  /** Nothing is left to do here: it is done, or somebody else is at it. */
  | { readonly kind: "done" }
  /** It goes on then, or when somebody answers. */
  | { readonly kind: "waiting"; readonly until: Millis | null };

/**
 * Goes on with an errand until it is done or has to wait. Whoever dies in the middle is followed by another worker that
 * reads the ledger and takes the next step; what was said in a session that had not ended is lost, and nothing else.
 */
export async function runErrand(
  engine: ErrandEngine,
  id: ErrandId,
  office: ErrandOffice,
  feed: Feed,
  signal: AbortSignal,
): Promise<ErrandProgress> {
  const held = await claimErrand(engine, id);
  if (!held) return { kind: "done" };
  const watch = watchErrand(engine, held.claim, signal);
  try {
    for (;;) {
      const errand = await engine.errands.get(id);
      if (errand.claim !== held.claim.token) return { kind: "done" };
      const step = nextErrandStep(errand, engine.now());
      if (step.kind === "done") return { kind: "done" };
      if (step.kind === "wait") return { kind: "waiting", until: step.until };
      // A cancelled errand has yet to say so; anything else stops here.
      if (watch.signal.aborted && errand.cancelledBy === null) return { kind: "waiting", until: null };
      if (step.kind === "session") {
        // With the session that follows, so that whoever took them need not live to say so.
        if (tookDefaults(errand)) await office.sayDefaults(errand);
        await office.fetch(errand);
        const seat = { engine, errand, claim: held.claim, feed, abort: watch.signal };
        await atDesk(seat, (desk) => hold(desk, office));
      } else await act(engine, errand, office, held.claim, step);
    }
  } catch (error) {
    if (error instanceof ErrandLost) return afterwards(engine, id, office);
    if (error instanceof Interrupted) return afterwards(engine, id, office);
    throw error;
  } finally {
    watch.close();
    await held.release();
  }
}

/** A cancel came in between: whoever was at work says so. */
async function afterwards(engine: ErrandEngine, id: ErrandId, office: ErrandOffice): Promise<ErrandProgress> {
  const errand = await engine.errands.get(id);
  if (errand.cancelledBy === null || errand.outcome) return { kind: "waiting", until: null };
  await finishErrand(engine, errand, await office.deliver(errand));
  return { kind: "done" };
}

/** As long as one session follows another, tree and conversation stay. */
async function hold(desk: ErrandDesk, office: ErrandOffice): Promise<void> {
  const { engine, claim } = desk;
  for (;;) {
    const errand = await engine.errands.get(claim.errand);
    if (errand.claim !== claim.token) throw new ErrandLost(claim);
    const step = nextErrandStep(errand, engine.now());
    if (step.kind !== "session") return;
    if (desk.abort.aborted) throw new Interrupted();
    if (step.purpose === "answer" || step.purpose === "audit")
      await tellWhatIsThere(desk, errand, step.purpose, office);
    else await planOn(desk, errand, step.purpose, office);
  }
}

async function act(
  engine: ErrandEngine,
  errand: Errand,
  office: ErrandOffice,
  claim: { readonly errand: ErrandId; readonly token: string },
  step: Exclude<ErrandStep, { kind: "session" | "wait" | "done" }>,
): Promise<void> {
  switch (step.kind) {
    case "show-questions": {
      const { comment, answers } = await office.ask(errand);
      await writeErrand(engine, claim, { type: "questions-shown", comment });
      if (answers) await answerQuestions(engine, errand.id, () => answers);
      return;
    }
    case "remind":
      await office.remind(errand);
      await writeErrand(engine, claim, { type: "questions-reminded" });
      return;
    case "take-defaults":
      await answerQuestions(engine, errand.id, defaultsOf);
      return;
    case "degrade":
      await degradePlan(engine, claim, errand, step, office);
      return;
    case "deliver":
      await finishErrand(engine, errand, await office.deliver(errand));
      return;
    case "give-up":
      await finishErrand(engine, errand, await office.giveUp(errand, { ...step, next: "" }));
      return;
    default:
      assertNever(step);
  }
}

/** Something was left unanswered, and nothing was made of that yet. */
function tookDefaults({ answers, sessionsBy }: Errand): boolean {
  const isNews = !sessionsBy.has("design") && !sessionsBy.has("draft");
  return isNews && (answers ?? []).some(({ by }) => by === null);
}

function defaultsOf({ assessment }: Errand): Answer[] {
  return completeAnswers(assessment?.questions ?? [], []);
}

/** The errand with what `say` has to say to its questions; null when they are settled, or nobody asks any more. */
export async function answerQuestions(
  engine: ErrandEngine,
  id: ErrandId,
  say: (errand: Errand) => readonly (Answer | null)[],
  said?: string,
): Promise<Errand | null> {
  const name = said === undefined ? {} : { said };
  return engine.errands.write(id, (errand) =>
    errand.outcome || errand.cancelledBy !== null || errand.answers || !errand.assessment
      ? null
      : [{ type: "questions-answered", at: timestamp(engine), answers: [...say(errand)], ...name }],
  );
}

export async function cancelErrand(engine: ErrandEngine, id: ErrandId, by: string): Promise<boolean> {
  const written = await engine.errands.write(id, (errand) =>
    errand.outcome || errand.cancelledBy !== null
      ? null
      : [{ type: "errand-cancelled", at: timestamp(engine), by }],
  );
  return written !== null;
}

/** Whoever is first says how it ended. */
export async function finishErrand(
  engine: ErrandEngine,
  { id }: Errand,
  outcome: NonNullable<Errand["outcome"]>,
): Promise<void> {
  await engine.errands.write(id, (errand) =>
    errand.outcome ? null : [{ type: "errand-finished", at: timestamp(engine), outcome }],
  );
}
