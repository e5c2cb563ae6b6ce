import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { type Faults, waitFor } from "../faults.ts";
import { nextId } from "../model/next-id.ts";
import type { App, Change, Delivery } from "../model/types.ts";
import type { World } from "../model/world.ts";
import { buildPayload } from "./build-payload.ts";
import { createInFlight } from "./in-flight.ts";
import { type PostResult, postWebhook } from "./post-webhook.ts";
import { type Recipient, recipients } from "./recipients.ts";

/**
 * Tells Apps what happened. The payload shows the world as it was at that moment, however late it is sent. Each App gets
 * its webhooks one after another in the order of the changes; GitHub promises no order, so tests that need another one
 * ask for it with a fault. A webhook is posted once: a failed one is noted, and sent again only when somebody asks.
 */

export type Hooks = {
  /** Resolves when nothing is being sent nor waits to be sent. What a fault holds back does not count. */
  whenDelivered(): Promise<void>;
  /** Sends a noted delivery again: same guid, same payload, a new id. */
  redeliver(deliveryId: number): void;
  /** Sends what a `reorder` holds back for want of a next one. */
  releaseHeld(): void;
  /** Sees each payload before it is sent. Tests put the validator here; what it throws comes out of `whenDelivered`. */
  inspect: ((event: string, payload: unknown) => void) | null;
  close(): Promise<void>;
};

type Parcel = {
  readonly app: App;
  readonly guid: string;
  readonly event: string;
  readonly action: string | null;
  readonly installation: number | null;
  readonly repository: number | null;
  readonly redelivery: boolean;
  readonly payload: Promise<unknown>;
};

const LOST: PostResult = { status: "failed to connect to host", statusCode: 502, durationSecs: 0 };

export function startHooks(
  world: World,
  faults: Faults,
  { timeoutMs }: { readonly timeoutMs?: number } = {},
): Hooks {
  const lines = new Map<number, Promise<void>>();
  const held = new Map<number, Parcel[]>();
  const flight = createInFlight();
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);

  const send = async (parcel: Parcel, lost?: PostResult): Promise<void> => {
    const payload = await parcel.payload;
    // A payload that is not as it should be is sent all the same: whoever waits hears of it.
    try {
      hooks.inspect?.(parcel.event, payload);
    } catch (problem) {
      flight.report(problem);
    }
    if (stopping.signal.aborted) return;
    const { app, payload: _, ...about } = parcel;
    const deliveredAt = world.clock.now();
    const webhook = { guid: about.guid, event: about.event, body: JSON.stringify(payload) };
    const outcome = lost ?? (await postWebhook(app, webhook, stopping.signal, timeoutMs));
    if (stopping.signal.aborted) return;
    world.github.deliveries.push({
      id: nextId(world),
      app: app.id,
      ...about,
      payload,
      deliveredAt,
      ...outcome,
    });
  };

  /** One parcel's turn in its App's line. */
  const handle = async (parcel: Parcel): Promise<void> => {
    if (stopping.signal.aborted) return;
    const effect = faults.meetWebhook(parcel.event, parcel.action);
    switch (effect?.kind) {
      case "reorder":
        held.set(parcel.app.id, [...(held.get(parcel.app.id) ?? []), parcel]);
        return;
      case "delay":
        flight.add(waitFor(effect, stopping.signal).then(() => send(parcel)));
        return;
      case "drop":
        await send(parcel, LOST);
        break;
      case "duplicate":
        await Promise.all(Array.from({ length: effect.copies }, () => send(parcel)));
        break;
      default:
        await send(parcel);
    }
    await sendHeld(parcel.app.id);
  };

  const sendHeld = async (app: number): Promise<void> => {
    const parcels = held.get(app) ?? [];
    held.delete(app);
    for (const parcel of parcels) await send(parcel);
  };

  const enqueue = (app: number, work: () => Promise<void>): void => {
    const mine = (lines.get(app) ?? Promise.resolve()).then(work);
    lines.set(
      app,
      mine.catch(() => undefined),
    );
    flight.add(mine);
  };

  const post = (parcel: Parcel): void => enqueue(parcel.app.id, () => handle(parcel));
  const unsubscribe = world.subscribe((change) => {
    for (const recipient of recipients(world, change)) post(pack(world, change, recipient));
  });
  world.redeliver = (delivery) => post(packAgain(world, delivery));

  const hooks: Hooks = {
    inspect: null,
    async whenDelivered() {
      await flight.whenNone();
      const problems = flight.takeProblems();
      if (problems.length > 0) throw new AggregateError(problems, describeProblems(problems));
    },
    redeliver(deliveryId) {
      const delivery = world.github.deliveries.find((one) => one.id === deliveryId);
      if (!delivery) throw new Error(`failed to find the delivery ${deliveryId}`);
      post(packAgain(world, delivery));
    },
    releaseHeld() {
      for (const app of [...held.keys()]) enqueue(app, () => sendHeld(app));
    },
    async close() {
      unsubscribe();
      world.redeliver = null;
      stopping.abort();
      await flight.whenNone();
    },
  };
  return hooks;
}

function pack(world: World, change: Change, { app, installation }: Recipient): Parcel {
  const payload = buildPayload(world, change, installation);
  // It may fail long before its turn comes; then it is reported in its turn.
  payload.catch(() => undefined);
  return {
    app,
    guid: randomUUID(),
    event: change.event,
    action: change.action,
    installation: installation.id,
    repository: change.repository,
    redelivery: false,
    payload,
  };
}

function packAgain(world: World, delivery: Delivery): Parcel {
  const app = world.github.apps.find((one) => one.id === delivery.app);
  if (!app) throw new Error(`failed to find the App of delivery ${delivery.id}`);
  const { guid, event, action, installation, repository, payload } = delivery;
  const about = { guid, event, action, installation, repository };
  return { app, ...about, redelivery: true, payload: Promise.resolve(payload) };
}

function describeProblems(problems: readonly unknown[]): string {
  const texts = problems.map((problem) => (problem instanceof Error ? problem.message : String(problem)));
  return `failed to build or check webhooks:\n${texts.join("\n")}`;
}
