import { UserError } from "../../core/errors.ts";
import { startTexts } from "../../core/report/texts/start-texts.ts";
import type { RunEvent } from "../../core/run/events.ts";
import { evolve } from "../../core/run/evolve/evolve.ts";
import type { Run } from "../../core/run/run.ts";
import type { Feed } from "../../ports/feed.ts";
import type { RunStore } from "../../ports/ledger-store.ts";
import { createLedgers, type Ledgers } from "./ledgers.ts";

/** The ledgers of runs; their events reach the feed. */
export type RunLedgers = Ledgers<RunEvent, Run>;

export type Clean = (event: RunEvent) => RunEvent;

export function createRunLedgers(
  store: RunStore,
  feed: Feed,
  clean: Clean = (event) => event,
  onShorter: (id: string) => void = () => {},
): RunLedgers {
  return createLedgers({
    store,
    evolve,
    clean,
    onShorter,
    onEvent: (event, run) => feed({ kind: "event", event, run }),
    unknown: (id) => new UserError(startTexts.noRun(id), { next: startTexts.noRunNext() }),
  });
}
