import * as z from "zod";
import { createEmbeddedLedgerStore } from "../../adapters/embedded/ledger-store.ts";
import { storeKeyOf } from "../../adapters/github/app-jwt.ts";
import { createSeal } from "../../adapters/sealed/create-seal.ts";
import { createSealedCache } from "../../adapters/sealed/sealed-cache.ts";
import { createSealedInbox, createSealedIntake } from "../../adapters/sealed/sealed-inbox.ts";
import { createSealedLedgerStore } from "../../adapters/sealed/sealed-ledger-store.ts";
import type { ForgedRecord } from "../../core/errors.ts";
import { RUN_WORDS, TASK_WORDS } from "../../core/report/audit/ledger-words.ts";
import { type SealRule, sealTexts } from "../../core/report/audit/seal-texts.ts";
import { runEventSchema } from "../../core/run/events.ts";
import { type TaskEvent, taskEventSchema } from "../../core/task/task-events.ts";
import type { Audit } from "../../ports/audit.ts";
import type { Cache } from "../../ports/cache.ts";
import type { Inbox, Intake } from "../../ports/inbox.ts";
import type { LedgerStore, RunStore } from "../../ports/ledger-store.ts";
import type { Seal } from "../../ports/seal.ts";

/** The App's private key, and those that it replaced and whose signatures still count. */
export type AppKeys = { readonly privateKey: string; readonly previousKeys?: readonly string[] };

/** Puts the App's signature on all that a service keeps, and refuses what lacks it (T32). */
export type Seals = {
  inbox(inbox: Inbox<unknown>): Inbox;
  intake(intake: Intake<unknown>): Intake;
  runs(store: LedgerStore<unknown>, scope: string): RunStore;
  tasks(store: LedgerStore<unknown>, scope: string): LedgerStore<TaskEvent>;
  cache(cache: Cache, scope: string): Cache;
};

export function createSeals({ privateKey, previousKeys = [] }: AppKeys, audit: Audit): Seals {
  const sealFor = (kind: Parameters<typeof storeKeyOf>[1]): Seal =>
    createSeal({
      current: storeKeyOf(privateKey, kind),
      previous: previousKeys.map((key) => storeKeyOf(key, kind)),
    });
  const seals = {
    deliveries: sealFor("deliveries"),
    runs: sealFor("runs"),
    tasks: sealFor("tasks"),
    notes: sealFor("notes"),
  };
  const onForged =
    (repo?: string) =>
    (refused: ForgedRecord, rule: SealRule, run?: string): void =>
      audit.refused({ boundary: "store", rule, run, repo, what: sealTexts.audit(refused) });
  return {
    inbox: (inbox) => createSealedInbox({ inbox, seal: seals.deliveries, onForged: onForged() }),
    intake: (intake) => createSealedIntake({ intake, seal: seals.deliveries }),
    runs: (store, scope) =>
      createSealedLedgerStore({
        ...{ store, scope, onForged: onForged(scope) },
        schema: runEventSchema,
        seal: seals.runs,
        words: RUN_WORDS,
      }),
    tasks: (store, scope) =>
      createSealedLedgerStore({
        ...{ store, scope, onForged: onForged(scope) },
        schema: taskEventSchema,
        seal: seals.tasks,
        words: TASK_WORDS,
      }),
    cache: (cache, scope) =>
      createSealedCache({
        ...{ cache, scope },
        seal: seals.notes,
        onForged: (key) =>
          audit.refused({ boundary: "store", rule: "note", repo: scope, what: sealTexts.note(key) }),
      }),
  };
}

/** Ledgers in files, of whatever an event is kept as. */
export function rawFiles(root: string, kind: "runs" | "tasks"): LedgerStore<unknown> {
  const words = kind === "runs" ? RUN_WORDS : TASK_WORDS;
  return createEmbeddedLedgerStore({ root, schema: z.unknown(), words });
}
