import { repoId } from "../../../core/ids.ts";
import type { Run } from "../../../core/run/run.ts";
import { recoverLost } from "../../run/recover-run.ts";
import { allRuns, awaitsArchive, isLive } from "../command/find-run.ts";
import { hasAccess } from "../command/has-access.ts";
import { regainAccess, restsWithoutAccess } from "../delivery/handle-installation.ts";
import {
  haveAsked,
  knownRepositories,
  knowsAll,
  rememberRepository,
} from "../delivery/known-repositories.ts";
import type { Host, RepoEngine } from "../host.ts";
import { isToldAll } from "../show/notify-run.ts";
import { noteUnserved } from "../show/unserved-labels.ts";
import { stopPlanners } from "../task/cancel-on-close.ts";
import { sweepTasks } from "../task/sweep-tasks.ts";
import { ensureIntact } from "./ensure-intact.ts";
import { runsInTurn } from "./runs-in-turn.ts";
import { tellForged } from "./tell-forged.ts";

/**
 * Finds what no wake-up announced: deliveries that nobody took, workers that died, webhooks that were lost, runs that the
 * store forgot. One at a time across all processes; everything it does could as well be done twice. Its parts don't wait
 * for each other: what fails today is tried again with the next one.
 */
export async function sweep(host: Host): Promise<void> {
  const lease = await host.leases.acquire("sweep");
  if (lease.kind === "held") return;
  try {
    for (const { id } of await host.inbox.waiting(MAX_WAITING))
      await host.queue.enqueue({ kind: "delivery", delivery: id });
    await orWarn(host, "ask GitHub for lost deliveries", () => fetchLostDeliveries(host));
    await orWarn(host, "ask GitHub for the App's repositories", () => findPlaces(host));
    for (const { repo } of await knownRepositories(host)) {
      await orWarn(host, `look after the repository ${repo.id}`, async () => {
        const engine = await host.repository(repoId(repo.id));
        if (engine) await sweepRepository(host, engine);
      });
    }
  } finally {
    await lease.release();
  }
}

const MAX_WAITING = 500;

async function orWarn(host: Host, what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    host.warn(`the sweep failed to ${what}`, error);
  }
}

async function sweepRepository(host: Host, engine: RepoEngine): Promise<void> {
  const runs = await allRuns(engine);
  if (runs.some(restsWithoutAccess)) {
    // One question for all of them: without access each would only be refused on its own (F21).
    if (!(await hasAccess(engine))) return;
    await regainAccess(engine);
  }
  await ensureIntact(host, engine);
  const { repo, queue } = engine;
  await orWarn(host, "look for ledgers that others wrote to", () => tellForged(host, engine));
  const open = await sweepTasks(engine);
  await orWarn(host, "look for planners of closed issues", () => stopPlanners(engine, open));
  const waiting = (await allRuns(engine)).filter(isLive);
  await orWarn(host, "look for labels that no worker serves", () =>
    noteUnserved(host, engine, waiting, open),
  );
  const running = waiting.filter(({ status }) => status === "running");
  const looked = runsInTurn(
    running.map(({ id }) => id),
    await countSweep(engine),
  );
  for (const run of await allRuns(engine)) {
    if (isLive(run)) {
      await recoverLost(engine, run.id);
      // A look advances it as well. Where nothing is left to observe, there may still be documents to archive.
      await queue.enqueue({ kind: looked.has(run.id) ? "observe" : "advance", repo, run: run.id });
    }
    if (awaitsArchive(run)) await queue.enqueue({ kind: "observe", repo, run: run.id });
    // Costs nothing where people see it already; what ended while GitHub was away has yet to be shown.
    if (isLive(run) || endedLately(host, run)) await queue.enqueue({ kind: "show", repo, run: run.id });
    if (host.notify && !(await isToldAll(engine, run)))
      await queue.enqueue({ kind: "notify", repo, run: run.id });
  }
}

const SWEEPS = "sweeps";

/** How many there were before this one; there is one at a time. */
async function countSweep({ cache }: RepoEngine): Promise<number> {
  const before = Number((await cache.get(SWEEPS)) ?? "0");
  await cache.set(SWEEPS, String(before + 1));
  return before;
}

function endedLately({ now }: Host, { finishedAt }: Run): boolean {
  return finishedAt !== null && now() - Date.parse(finishedAt) < WINDOW_MS;
}

/** A store that was wiped knows of no repository; then GitHub is asked (F7). */
async function findPlaces(host: Host): Promise<void> {
  if (await knowsAll(host.cache)) return;
  for (const repoRef of await host.client.places()) await rememberRepository(host.cache, repoRef);
  await haveAsked(host.cache);
}

const WINDOW_MS = 24 * 3_600_000;
const MAX_REDELIVERIES = 3;

/** What was sent shortly before the last look may not have been answered then. */
const OVERLAP_MS = 15 * 60_000;
const LOOKED = "looked-for-deliveries";

/** GitHub does not try again by itself (F11). */
async function fetchLostDeliveries(host: Host): Promise<void> {
  const now = host.now();
  const looked = Number((await host.cache.get(LOOKED)) ?? "0");
  const since = new Date(Math.max(now - WINDOW_MS, looked - OVERLAP_MS)).toISOString();
  for (const { id, guid } of await host.client.failedDeliveries(since)) {
    const key = `redelivered/${guid}`;
    const times = Number((await host.cache.get(key)) ?? "0");
    if (times >= MAX_REDELIVERIES) continue;
    await host.cache.set(key, String(times + 1), { ttlMs: 3 * WINDOW_MS });
    await host.client.redeliver(id);
  }
  await host.cache.set(LOOKED, String(now));
}
