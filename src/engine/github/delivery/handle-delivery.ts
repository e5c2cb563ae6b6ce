import type { Delivery, DeliveryOf } from "../../../core/command/delivery.ts";
import { asksForRun } from "../../../core/command/parse-commands.ts";
import { assertNever, ForgedRecord } from "../../../core/errors.ts";
import { AccessLost } from "../../../ports/github/access-lost.ts";
import { findRun, liveRuns, threadOf } from "../command/find-run.ts";
import { handleCheckRun } from "../command/handle-check-run.ts";
import { handleComment } from "../command/handle-comment.ts";
import { handleLabel } from "../command/handle-label.ts";
import { commentIn } from "../command/incoming-comment.ts";
import type { Host, RepoEngine } from "../host.ts";
import { handleCheckSuite } from "../observe/handle-check-suite.ts";
import { noteChange } from "../observe/pending-changes.ts";
import { rememberPusher } from "../plan/adopt-plan-push.ts";
import { checkConfig } from "../plan/check-config.ts";
import { NotYet } from "../plan/not-yet.ts";
import { cancelOnClose } from "../task/cancel-on-close.ts";
import { handleInstallation } from "./handle-installation.ts";
import { takeDelivery } from "./take-delivery.ts";

/**
 * Acts on one delivery from the inbox, once: it stays there until its effect is written down, and every effect can be
 * repeated, so a crash in between costs nothing. Most deliveries only say "look at this run".
 */
export async function handleDelivery(host: Host, id: string, signal: AbortSignal): Promise<void> {
  const delivery = await takeDelivery(host, id);
  if (!delivery) return;
  try {
    await act(host, id, delivery, signal);
  } catch (error) {
    if (error instanceof NotYet) {
      await host.queue.enqueue({ kind: "delivery", delivery: id }, { delayMs: SOON_MS });
      return;
    }
    // Without access there is nobody to answer, and asking again would only repeat it (F21). The same goes for a run whose
    // ledger somebody else wrote to: its people are told by the sweep.
    if (!(error instanceof AccessLost || error instanceof ForgedRecord)) throw error;
    host.warn(`delivery ${id} is dropped: ${error.message}`);
  }
  await host.inbox.done(id);
}

const SOON_MS = 500;

async function act(host: Host, id: string, delivery: Delivery, signal: AbortSignal): Promise<void> {
  if (delivery.kind === "installation") return handleInstallation(host, delivery);
  const engine = await host.meet(delivery.repoRef);
  switch (delivery.kind) {
    case "comment":
      return handleComment(host, engine, delivery, signal);
    case "issue-opened":
      if (!asksForRun(delivery.body)) return;
      return handleComment(
        host,
        engine,
        { ...delivery, comment: null, isPullRequest: false, opening: delivery },
        signal,
      );
    case "issue-closed":
      return cancelOnClose(engine, delivery.number);
    case "label":
      return handleLabel(engine, id, delivery);
    case "pull-request":
      return pullRequest(host, engine, delivery);
    case "review":
      await observeThread(engine, delivery.number);
      return hearReview(host, engine, delivery, signal);
    case "check-run":
      return delivery.app === host.client.app.id
        ? handleCheckRun(engine, id, delivery)
        : observeHead(engine, delivery.head);
    case "check-suite":
      return delivery.app === host.client.app.id
        ? handleCheckSuite(engine, id, delivery)
        : observeHead(engine, delivery.head);
    case "push":
      return push(host, engine, delivery);
    case "merge-group":
      return observeAll(engine);
    default:
      return assertNever(delivery);
  }
}

async function hearReview(
  host: Host,
  engine: RepoEngine,
  delivery: DeliveryOf<"review">,
  signal: AbortSignal,
): Promise<void> {
  const incoming = commentIn(delivery);
  if (incoming) await handleComment(host, engine, incoming, signal);
}

async function pullRequest(
  host: Host,
  engine: RepoEngine,
  delivery: DeliveryOf<"pull-request">,
): Promise<void> {
  const isOwn = delivery.sender.login === host.client.app.botLogin;
  if (!isOwn && (delivery.action === "opened" || delivery.action === "synchronize"))
    await checkConfig(engine, delivery);
  // What Loom itself pushed and edited is in the ledger already; closing may be the work of a merge queue.
  if (isOwn && delivery.action !== "closed") return;
  if (delivery.action === "synchronize")
    await rememberPusher(engine, delivery.head.sha, delivery.sender.login);
  if (delivery.action === "closed") await cancelOnClose(engine, delivery.number);
  await observeThread(engine, delivery.number, delivery.head.ref);
}

async function push(host: Host, engine: RepoEngine, delivery: DeliveryOf<"push">): Promise<void> {
  if (delivery.sender.login === host.client.app.botLogin) return;
  const branch = delivery.ref.replace(/^refs\/heads\//, "");
  if (/^loom\/[a-z0-9-]+\.plan$/.test(branch))
    await rememberPusher(engine, delivery.after, delivery.sender.login);
  for (const run of await liveRuns(engine)) {
    if (branch === run.target || branch.startsWith(`loom/${run.id}/`) || branch === `loom/${run.id}.plan`)
      await noteChange(engine, run.id);
  }
}

async function observeThread(
  engine: RepoEngine,
  number: number,
  branch: string | null = null,
): Promise<void> {
  const thread = await findRun(engine, number, branch);
  if (thread && (thread.kind !== "issue" || threadOf(thread.run, number)?.kind !== "issue"))
    await noteChange(engine, thread.run.id);
  // A plan that moved before it was approved is no event, but people have to see which commit they approve.
  if (thread?.kind === "plan")
    await engine.queue.enqueue({ kind: "show", repo: engine.repo, run: thread.run.id });
}

/** Somebody's pipeline has something to say about a commit: which run offers it? */
async function observeHead(engine: RepoEngine, head: string): Promise<void> {
  for (const run of await liveRuns(engine)) {
    const isOffered = [...run.stages.values()].some(({ branch }) => branch?.tip === head);
    // A completed run is live while its record waits, perhaps for this very check.
    const isAwaited = isOffered || run.offer?.head === head || run.status === "completed";
    if (isAwaited) await noteChange(engine, run.id);
  }
}

async function observeAll(engine: RepoEngine): Promise<void> {
  for (const run of await liveRuns(engine)) await noteChange(engine, run.id);
}
