import type { DeliveryOf } from "../../../core/command/delivery.ts";
import { repoId } from "../../../core/ids.ts";
import { observations } from "../../../core/report/texts/observation-texts.ts";
import type { RunEvent } from "../../../core/run/events.ts";
import type { Run } from "../../../core/run/run.ts";
import type { AccessLost } from "../../../ports/github/access-lost.ts";
import { timestamp } from "../../engine.ts";
import { liveRuns } from "../command/find-run.ts";
import { hasAccess } from "../command/has-access.ts";
import type { Host, RepoEngine } from "../host.ts";
import { askAgain, knownRepositories } from "./known-repositories.ts";

type Action = DeliveryOf<"installation">["action"];

/** The App was removed, suspended or let back in: its runs end, rest or go on, and nothing is tried in vain (F21). */
export async function handleInstallation(host: Host, delivery: DeliveryOf<"installation">): Promise<void> {
  const places = (await knownRepositories(host)).filter(
    (repoRef) =>
      repoRef.installation === delivery.installation &&
      (delivery.repos.length === 0 || delivery.repos.includes(repoRef.repo.id)),
  );
  for (const repoRef of places) {
    const engine = await host.repository(repoId(repoRef.repo.id));
    if (!engine) continue;
    // The message may be an old one that somebody sent again (T33).
    if (!bringsAccess(delivery.action) && (await hasAccess(engine))) continue;
    await tellRuns(engine, delivery.action);
  }
  if (!bringsAccess(delivery.action)) return;
  // Where there was no access, runs may wait in git that the store knows nothing of.
  await askAgain(host.cache);
  await host.queue.enqueue({ kind: "sweep" });
}

/** A webhook that told of it may have been lost: then GitHub's refusal is the news. */
export async function loseAccess(engine: RepoEngine, { reason }: AccessLost): Promise<void> {
  // A repository that can't be found may be found again; only the end of the installation is for good.
  await tellRuns(engine, reason === "removed" ? "deleted" : "suspended");
}

export async function regainAccess(engine: RepoEngine): Promise<void> {
  await tellRuns(engine, "unsuspended");
}

/** It rests because GitHub lets nobody work on it. */
export function restsWithoutAccess(run: Run): boolean {
  return run.pausedBy?.kind === "suspended";
}

async function tellRuns(engine: RepoEngine, action: Action): Promise<void> {
  for (const { id } of await liveRuns(engine)) {
    const version = (await engine.runs.get(id)).version;
    const after = await engine.runs.write(id, (run) => eventsFor(run, action, timestamp(engine)));
    if (after && after.version > version)
      await engine.queue.enqueue({ kind: "advance", repo: engine.repo, run: id });
  }
}

function bringsAccess(action: Action): boolean {
  return action === "created" || action === "repositories-added" || action === "unsuspended";
}

function eventsFor(run: Run, action: Action, at: string): RunEvent[] {
  if (run.status !== "running") return [];
  switch (action) {
    case "deleted":
    case "repositories-removed":
      return run.cancelledBy === null
        ? [{ type: "cancel-requested", at, by: observations.appRemoved() }]
        : [];
    case "suspended":
      return run.pausedBy === null && run.cancelledBy === null
        ? [{ type: "run-paused", at, cause: { kind: "suspended" } }]
        : [];
    case "unsuspended":
      return restsWithoutAccess(run) ? [{ type: "run-unpaused", at, by: "GitHub" }] : [];
    case "created":
    case "repositories-added":
      return [];
  }
}
