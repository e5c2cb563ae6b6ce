import type { Errand } from "../../core/errand/errand.ts";
import { nextErrandStep } from "../../core/errand/next-errand-step.ts";
import type { Millis, RunId } from "../../core/ids.ts";
import { runnerTexts } from "../../core/report/runner-texts.ts";
import type { Run } from "../../core/run/run.ts";
import { runnerLabel } from "../../core/runner-label.ts";
import { ownValue, table } from "../../core/table.ts";
import { labelOf } from "../advance-run.ts";
import { say, startedText } from "./errands/thread-office.ts";
import type { Host, RepoEngine } from "./host.ts";

/**
 * Work for a label waits until a worker with that label comes, and nobody would notice if none ever does. So workers say
 * which labels they serve, the sweep holds what waits against that, and people read it where they look for the work.
 * Each look starts from what is there now: when a worker comes, the sentence goes.
 */

/** Long enough for a worker that is being restarted. With a sweep each minute, people are told within two. */
const PATIENCE_MS = 60_000;
/** Of an announcement; workers repeat it with each sweep. */
const FRESH_MS = 150_000;
const FRESH_SWEEPS = 2.5;

const BOARD = "runner/";
const WAITING = "unserved/";

export async function announceLabels(
  { shelf }: Pick<Host, "shelf">,
  labels: readonly string[],
  sweepMs = 0,
): Promise<void> {
  const ttlMs = Math.max(FRESH_MS, FRESH_SWEEPS * sweepMs);
  for (const label of labels) await shelf.set(`${BOARD}${label}`, "served", { ttlMs });
}

/** Notes for how long labels have been without a worker; what is told follows from the notes. */
export async function noteUnserved(
  host: Pick<Host, "shelf">,
  engine: RepoEngine,
  runs: readonly Run[],
  errands: readonly Errand[],
): Promise<void> {
  const wanted = new Map<string, ReadonlySet<string>>();
  for (const run of runs) wanted.set(run.id, labelsOf(run));
  for (const errand of errands) wanted.set(errand.id, labelsOfErrand(errand, engine.now()));
  const noted = await engine.shelf.list(WAITING);
  if (noted.size === 0 && [...wanted.values()].every(({ size }) => size === 0)) return;
  const board = await host.shelf.list(BOARD);
  const isServed = (label: string): boolean => board.has(`${BOARD}${label}`);
  for (const [id, labels] of wanted) {
    const without = [...labels].filter((label) => !isServed(label));
    const before = noted.get(`${WAITING}${id}`) ?? null;
    if (without.length > 0) {
      const since = readSince(before);
      const now = Object.fromEntries(without.map((label) => [label, ownValue(since, label) ?? engine.now()]));
      await engine.shelf.set(`${WAITING}${id}`, JSON.stringify(now));
    } else if (before !== null) await engine.shelf.remove(`${WAITING}${id}`);
  }
  for (const key of noted.keys()) {
    if (!wanted.has(key.slice(WAITING.length))) await engine.shelf.remove(key);
  }
  for (const errand of errands) await tellErrand(engine, errand, noted.has(`${WAITING}${errand.id}`));
}

/** Labels that have been without a worker for a while, of a run or a task. */
export async function unservedLabels(engine: RepoEngine, id: RunId): Promise<string[]> {
  const since = readSince(await engine.shelf.get(`${WAITING}${id}`));
  return Object.entries(since)
    .filter(([, at]) => engine.now() - at >= PATIENCE_MS)
    .map(([label]) => label);
}

/** The comment that says that somebody is at it says instead that nobody is; it is written only where that changes. */
async function tellErrand(engine: RepoEngine, errand: Errand, wasNoted: boolean): Promise<void> {
  // Whoever has it now says what comes of it.
  if (!errand.origin || (errand.claim !== null && !wasNoted)) return;
  const told = (await unservedLabels(engine, errand.id)).map(runnerTexts.unserved);
  const key = `told/${WAITING}${errand.id}`;
  const before = (await engine.shelf.get(key)) ?? "";
  const now = told.join("\n\n");
  if (before === now) return;
  await say(engine, errand, [startedText(errand), ...told].join("\n\n"));
  if (now === "") await engine.shelf.remove(key);
  else await engine.shelf.set(key, now);
}

function labelsOf(run: Run): ReadonlySet<string> {
  const queued = [...run.stages].filter(
    ([, { state }]) => run.status === "running" && state.kind === "queued",
  );
  return new Set(queued.flatMap(([stage]) => labelOf(run, stage) ?? []));
}

function labelsOfErrand(errand: Errand, now: Millis): ReadonlySet<string> {
  const { runsOn = null } = errand.settings;
  const step = nextErrandStep(errand, now).kind;
  const label = runsOn === null || step === "done" || step === "wait" ? null : runnerLabel(runsOn);
  return new Set(label === null || errand.session !== null ? [] : [label]);
}

function readSince(text: string | null): Readonly<Record<string, number>> {
  return table(text === null ? {} : (JSON.parse(text) as Record<string, number>));
}
