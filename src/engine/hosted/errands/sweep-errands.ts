import type { Errand, ErrandId } from "../../../core/errand/errand.ts";
import { isForgettable, KEEP_ERRANDS_MS } from "../../../core/errand/is-forgettable.ts";
import { nextErrandStep } from "../../../core/errand/next-errand-step.ts";
import type { Millis } from "../../../core/ids.ts";
import { removeErrand } from "../../errand/forget-errands.ts";
import type { RepoEngine } from "../host.ts";
import { unlessForged } from "../unless-forged.ts";
import { sendErrand } from "./send-errand.ts";
import { pauseLeft } from "./try-errand-later.ts";

/** When those ended that have: there may be thousands of them, and none is looked at again before it is forgotten. */
const ended = new WeakMap<RepoEngine, Map<ErrandId, Millis>>();

/**
 * Sends for those that nobody is at, or that waited for a time that has come; what is long done is forgotten. Resolves with
 * what is not done.
 */
export async function sweepErrands(engine: RepoEngine): Promise<readonly Errand[]> {
  const now = engine.now();
  const over = ended.get(engine) ?? new Map<ErrandId, Millis>();
  ended.set(engine, over);
  const open: Errand[] = [];
  for (const id of await engine.errandStore.list()) {
    if (now - (over.get(id) ?? 0) < KEEP_ERRANDS_MS) continue;
    const errand = await unlessForged(engine.errands.load(id));
    if (!errand) continue;
    const step = nextErrandStep(errand, now);
    if (step.kind === "done") {
      over.set(id, Date.parse(errand.touchedAt));
      if (isForgettable(errand, now)) {
        over.delete(id);
        await removeErrand(engine, id);
      }
      engine.errands.forget(id);
      continue;
    }
    open.push(errand);
    if (step.kind !== "wait" || (step.until !== null && step.until <= now))
      await sendErrand(engine, errand, await pauseLeft(engine, id));
  }
  return open;
}

/** Their ledgers have become others: what is known of those before says nothing about them. */
export async function forgetErrands(engine: RepoEngine): Promise<void> {
  ended.delete(engine);
  for (const id of await engine.errandStore.list()) engine.errands.forget(id);
}
