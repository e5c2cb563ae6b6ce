import type { Millis, RunId } from "../../../core/ids.ts";
import { runnerLabel } from "../../../core/plan/runner-label.ts";
import { runnerTexts } from "../../../core/report/texts/runner-texts.ts";
import type { Run } from "../../../core/run/run.ts";
import { ownValue, table } from "../../../core/table.ts";
import { nextTaskStep } from "../../../core/task/next-task-step.ts";
import type { Task } from "../../../core/task/task.ts";
import { labelOf } from "../../run/advance-run.ts";
import type { Host, RepoEngine } from "../host.ts";
import { startedText, updateComment } from "../task/thread-channel.ts";

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
  { cache }: Pick<Host, "cache">,
  labels: readonly string[],
  sweepMs = 0,
): Promise<void> {
  const ttlMs = Math.max(FRESH_MS, FRESH_SWEEPS * sweepMs);
  for (const label of labels) await cache.set(`${BOARD}${label}`, "served", { ttlMs });
}

/** Notes for how long labels have been without a worker; what is told follows from the notes. */
export async function noteUnserved(
  host: Pick<Host, "cache">,
  engine: RepoEngine,
  runs: readonly Run[],
  tasks: readonly Task[],
): Promise<void> {
  const wanted = new Map<string, ReadonlySet<string>>();
  for (const run of runs) wanted.set(run.id, labelsOf(run));
  for (const task of tasks) wanted.set(task.id, labelsOfTask(task, engine.now()));
  const noted = await engine.cache.list(WAITING);
  if (noted.size === 0 && [...wanted.values()].every(({ size }) => size === 0)) return;
  const board = await host.cache.list(BOARD);
  const isServed = (label: string): boolean => board.has(`${BOARD}${label}`);
  for (const [id, labels] of wanted) {
    const without = [...labels].filter((label) => !isServed(label));
    const before = noted.get(`${WAITING}${id}`) ?? null;
    if (without.length > 0) {
      const since = readSince(before);
      const now = Object.fromEntries(without.map((label) => [label, ownValue(since, label) ?? engine.now()]));
      await engine.cache.set(`${WAITING}${id}`, JSON.stringify(now));
    } else if (before !== null) await engine.cache.remove(`${WAITING}${id}`);
  }
  for (const key of noted.keys()) {
    if (!wanted.has(key.slice(WAITING.length))) await engine.cache.remove(key);
  }
  for (const task of tasks) await tellTask(engine, task, noted.has(`${WAITING}${task.id}`));
}

/** Labels that have been without a worker for a while, of a run or a task. */
export async function unservedLabels(engine: RepoEngine, id: RunId): Promise<string[]> {
  const since = readSince(await engine.cache.get(`${WAITING}${id}`));
  return Object.entries(since)
    .filter(([, at]) => engine.now() - at >= PATIENCE_MS)
    .map(([label]) => label);
}

/** The comment that says that somebody is at it says instead that nobody is; it is written only where that changes. */
async function tellTask(engine: RepoEngine, task: Task, wasNoted: boolean): Promise<void> {
  // Whoever has it now says what comes of it.
  if (!task.origin || (task.claim !== null && !wasNoted)) return;
  const told = (await unservedLabels(engine, task.id)).map(runnerTexts.unserved);
  const key = `told/${WAITING}${task.id}`;
  const before = (await engine.cache.get(key)) ?? "";
  const now = told.join("\n\n");
  if (before === now) return;
  await updateComment(engine, task, [startedText(task), ...told].join("\n\n"));
  if (now === "") await engine.cache.remove(key);
  else await engine.cache.set(key, now);
}

function labelsOf(run: Run): ReadonlySet<string> {
  const queued = [...run.stages].filter(
    ([, { state }]) => run.status === "running" && state.kind === "queued",
  );
  return new Set(queued.flatMap(([stage]) => labelOf(run, stage) ?? []));
}

function labelsOfTask(task: Task, now: Millis): ReadonlySet<string> {
  const { runsOn = null } = task.settings;
  const step = nextTaskStep(task, now).kind;
  const label = runsOn === null || step === "done" || step === "wait" ? null : runnerLabel(runsOn);
  return new Set(label === null || task.session !== null ? [] : [label]);
}

function readSince(text: string | null): Readonly<Record<string, number>> {
  return table(text === null ? {} : (JSON.parse(text) as Record<string, number>));
}
