import type { Errand, ErrandId } from "../../../core/errand/errand.ts";
import { messageOf, needsPerson, type UserError } from "../../../core/errors.ts";
import { refusedFor, type WhyNot } from "../../errand/errand-office.ts";
import { finishErrand } from "../../errand/run-errand.ts";
import type { Host, RepoEngine } from "../host.ts";
import { createThreadOffice } from "./thread-office.ts";
import { tryErrandLater } from "./try-errand-later.ts";

/** A job that failed every time: it is tried again later, or whoever asked is told that nothing comes of it. */
export async function giveUpOnErrand(
  host: Host,
  engine: RepoEngine,
  id: ErrandId,
  error: unknown,
): Promise<void> {
  const errand = await engine.errands.load(id);
  if (!errand || errand.outcome || (await tryErrandLater(engine, errand, error))) return;
  await refuse(host, engine, errand, error).catch(async (second: unknown) => {
    // The thread is locked or gone: then there is nobody to tell.
    host.warn(`the errand ${id} ends without a word: ${messageOf(second)}`, second);
    await finishErrand(engine, errand, refusedFor(whyNot(error)));
  });
}

/** Something that a person has to mend stands in its way: they are told what, and it is not tried again. */
export async function refuseErrand(
  host: Host,
  engine: RepoEngine,
  id: ErrandId,
  error: UserError,
): Promise<void> {
  const errand = await engine.errands.load(id);
  if (errand && !errand.outcome) await refuse(host, engine, errand, error);
}

async function refuse(host: Host, engine: RepoEngine, errand: Errand, error: unknown): Promise<void> {
  const outcome = await createThreadOffice(host, engine).giveUp(errand, whyNot(error));
  await finishErrand(engine, errand, outcome);
}

function whyNot(error: unknown): WhyNot {
  return needsPerson(error)
    ? { reason: error.message, next: error.next ?? "", failure: null }
    : { reason: null, next: "", failure: null };
}
