import { DEFAULTS } from "../core/config/defaults.ts";
import { runFolder } from "../core/config/run-folder.ts";
import type { RunSettings } from "../core/config/run-settings.ts";
import { UserError } from "../core/errors.ts";
import type { RunId, Sha } from "../core/ids.ts";
import type { Plan } from "../core/plan/plan.ts";
import { startTexts } from "../core/report/texts/start-texts.ts";
import { type RunEvent, runEventSchema } from "../core/run/events.ts";
import { evolve } from "../core/run/evolve/evolve.ts";
import type { Run } from "../core/run/run.ts";
import { assertHarnesses } from "../engine/run/check-harnesses.ts";
import { recordArchived } from "../engine/run/steer-run.ts";
import type { Local } from "../wiring/local.ts";
import type { LocalCheckout } from "../wiring/local-parts.ts";
import { assertTreesFolder } from "./trees-folder.ts";

/** There is room to work in, and every agent that these stages need can be started: cheaper to hear that it can't now. */
export async function assertCanWork(
  local: Local,
  plan: Pick<Plan, "stages" | "complexity">,
  settings: RunSettings,
): Promise<void> {
  await assertTreesFolder(local.disk.treesFolder);
  await assertHarnesses(local.engine, plan, settings);
}

/** The same for what is left of a run, which may go on in another shell than the one it was started in. */
export async function assertCanGoOn(local: Local, run: Run): Promise<void> {
  const left = [...run.stages.values()].filter(
    ({ state }) => state.kind !== "completed" && state.kind !== "skipped",
  );
  const stages = left.map(({ plan }) => plan);
  await assertCanWork(local, { stages, complexity: run.plan.complexity }, run.settings);
}

/** Nothing stands in the way of merging: told before anything is changed, and before anybody is paid for a plan. */
export async function assertCanMerge(
  local: Local,
  into: string | null,
): ReturnType<LocalCheckout["findTarget"]> {
  const target = await local.checkout.findTarget(into);
  await local.checkout.assertClean(target.branch);
  return target;
}

export type RecordedRun = {
  readonly id: RunId;
  readonly branch: string;
  /** Where its documents are, from the root. */
  readonly folder: string;
  /** null when its documents can't be read any more. */
  readonly run: Run | null;
};

/** The documents of a finished run of these bytes, found in the target: whoever ran it, and whatever they called it. */
export async function findRecord(
  local: Local,
  planHash: string,
  into: string | null,
  stateDir: string,
): Promise<RecordedRun | null> {
  const branch = into ?? local.repository.currentBranch;
  const tip = (branch === null ? null : await local.checkout.tipOf(branch)) ?? local.repository.headSha;
  if (branch === null || tip === null) return null;
  // Whoever ran it may have kept its documents at the usual place.
  for (const place of new Set([stateDir, DEFAULTS.stateDir])) {
    const { stdout } = await local.git.trusted({
      command: "ls-tree",
      options: ["-z", "--full-tree", "--name-only"],
      values: [tip],
      paths: [`${place}/`],
    });
    const names = stdout.split("\0").map((path) => path.slice(place.length + 1));
    for (const id of names.filter((name) => name.endsWith(`-${planHash.slice(0, 8)}`))) {
      const folder = runFolder({ stateDir: place }, id);
      if ((await readDocument(local, { id, folder }, tip, "PROGRESS.md")) !== null)
        return { id, branch, folder, run: await readRecord(local, { id, folder }, tip) };
    }
  }
  return null;
}

type Documents = Pick<RecordedRun, "id" | "folder">;

/** The ledger travels with the code, but for the plan's text, which stands beside it. */
async function readRecord(local: Local, documents: Documents, tip: Sha): Promise<Run | null> {
  const planText = await readDocument(local, documents, tip, "PLAN.md");
  const history = await readDocument(local, documents, tip, "history.jsonl");
  try {
    const events = (history ?? "")
      .split("\n")
      .filter((line) => line !== "")
      .map((line): RunEvent => runEventSchema.parse({ planText, ...JSON.parse(line) }));
    return evolve(null, events);
  } catch {
    // Somebody edited it: the run is built all the same.
    return null;
  }
}

const MAX_DOCUMENT_BYTES = 64_000_000;

function readDocument(
  local: Local,
  { id, folder }: Documents,
  tip: Sha,
  name: string,
): Promise<string | null> {
  return local.workspace(id).readFile(tip, `${folder}/${name}`, MAX_DOCUMENT_BYTES);
}

/** Every stage that counts as merged is in the target's history now. */
export async function isInTarget(local: Local, run: Run): Promise<boolean> {
  const tip = await (await local.forge(run.target)).targetTip();
  for (const { state } of run.stages.values()) {
    if (state.kind !== "completed" || state.merged === null) continue;
    if (!(await local.workspace(run.id).isAncestor(state.merged, tip))) return false;
  }
  return true;
}

/** A ledger that can't be read is a reason to forget the run, not one to refuse it. */
export async function loadIfReadable(local: Local, id: RunId): Promise<Run | null> {
  try {
    return await local.engine.runs.load(id);
  } catch {
    return null;
  }
}

/** Forgets an earlier run and takes its documents out of the target, so that the new one starts from nothing. */
export async function startOver(local: Local, { id, folder }: Documents, target: string): Promise<void> {
  await discard(local, id, target);
  await (await local.forge(target)).forget(id, folder);
}

/** Removes what a run left in the git directory. What it merged stays. */
export async function discard(local: Local, id: RunId, target: string): Promise<void> {
  await removeLeftovers(local, id, target);
  await local.engine.store.remove(id);
  local.engine.runs.forget(id);
}

/** Neither going on nor waiting for a person: nothing is left that only its branches hold. */
export function assertOver({ id, status }: Run): void {
  if (status !== "completed" && status !== "cancelled")
    throw new UserError(startTexts.notOver(id), { next: startTexts.notOverNext(id) });
}

/** Puts an ended run away: what it left goes as with `discard`, but its ledger stays and can be read. */
export async function archiveRun(local: Local, run: Run, by: string): Promise<void> {
  await removeLeftovers(local, run.id, run.target);
  // Last: what failed above is tried again with the next try.
  await recordArchived(local.engine, run.id, by);
}

async function removeLeftovers(local: Local, id: RunId, target: string): Promise<void> {
  await (await local.forge(target)).cleanUp(id, []);
  // Trees that a process left which was killed before it could tidy up.
  await local.workspace(id).dispose();
  await local.engine.files.remove(id);
}

/** Deletes the branches of stages that are done; work that still waits keeps its branch. */
export async function tidy(local: Local, run: Run): Promise<void> {
  const waiting = [...run.stages]
    .filter(([, { state }]) => state.kind !== "completed" && state.kind !== "skipped")
    .map(([id]) => id);
  await (await local.forge(run.target)).cleanUp(run.id, run.status === "cancelled" ? [] : waiting);
}
