import { setTimeout as pause } from "node:timers/promises";
import type { Errand } from "../../core/errand/errand.ts";
import { UserError } from "../../core/errors.ts";
import { errandLine } from "../../core/report/errand-lines.ts";
import { localErrandTexts } from "../../core/report/local-errand-texts.ts";
import { runErrand } from "../../engine/errand/run-errand.ts";
import type { FeedItem } from "../../ports/feed.ts";
import type { Local } from "../../wiring/local.ts";
import type { Io } from "../io.ts";
import { listenForStop } from "../listen-for-stop.ts";
import { createErrandProgress } from "./errand-progress.ts";
import { stopped } from "./stopped.ts";
import { createTerminalOffice, type TerminalWish } from "./terminal-office.ts";

const LOOK_AGAIN_MS = 1_000;

/** Goes on with an errand until it is done, and shows on the way what the agent does. */
export async function seeThrough(io: Io, local: Local, errand: Errand, wish: TerminalWish): Promise<Errand> {
  const progress = createErrandProgress(io);
  const stop = listenForStop({
    first() {
      progress.tell(localErrandTexts.stopping());
      local.hurry();
    },
    second: () => progress.close(),
  });
  // What lies in the ledger already is history.
  let watching = false;
  const hold = await local.holdErrand(errand.id, (event, state) => {
    const line = watching ? errandLine(event, state) : null;
    if (line !== null) progress.tell(line);
  });
  try {
    if (hold.kind === "held")
      throw new UserError(localErrandTexts.taken(hold.pid), { next: localErrandTexts.takenNext() });
    const { engine } = hold;
    await engine.errands.get(errand.id);
    watching = true;
    const office = createTerminalOffice(io, progress, wish);
    const feed = (item: FeedItem): void => {
      if (item.kind === "activity" && !stop.signal.aborted) progress.show(local.redact(item.text));
    };
    for (;;) {
      const step = await runErrand(engine, errand.id, office, feed, stop.signal);
      if (step.kind === "done") return await engine.errands.get(errand.id);
      if (stop.signal.aborted) throw stopped(errand.kind);
      const waitMs = step.until === null ? LOOK_AGAIN_MS : Math.max(0, step.until - engine.now());
      if (waitMs > LOOK_AGAIN_MS) progress.tell(localErrandTexts.tryingAgain(waitMs));
      await pause(waitMs, undefined, { signal: stop.signal }).catch(() => {});
    }
  } finally {
    progress.close();
    if (hold.kind === "acquired") await hold.release();
    stop.close();
  }
}
