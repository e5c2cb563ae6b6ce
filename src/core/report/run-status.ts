import { addUsage } from "../budget/usage.ts";
import type { Millis, StageId, Timestamp } from "../ids.ts";
import type { Usage } from "../run/events.ts";
import type { Run } from "../run/run.ts";
import { adviceLines } from "./advice.ts";
import { timeTaken } from "./durations.ts";
import { commandFor } from "./escalation.ts";
import { type FinishedStage, finishedStage } from "./finished-json.ts";
import { stagesInOrder } from "./run-counts.ts";
import { renderRunTable, type TableView } from "./run-table.ts";
import type { Activity } from "./stage-words.ts";
import { countCodePoints, wrapText } from "./text-width.ts";

/** The sign of life a session leaves beside the ledger. */
export type SignOfLife = {
  readonly stage: StageId;
  readonly attempt: number;
  readonly at: Timestamp;
  readonly activity: string | null;
};

/** `loom status`: the live table at one moment, and below it what waits for a person. */
export function renderStatus(
  run: Run,
  signs: readonly SignOfLife[],
  options: Omit<TableView, "run" | "activities" | "height"> & {
    /** Whether a process is known to drive the run at this moment. */
    readonly driven?: boolean;
  },
): string {
  const table = renderRunTable({ ...options, run, activities: activitiesFrom(run, signs) });
  const style = { width: options.width, measure: options.measure ?? countCodePoints };
  const advice = [...adviceLines(run, "question", style), ...adviceLines(run, "blocked", style)];
  if (run.status === "running" && options.driven === false) {
    advice.push(
      ...wrapText(
        `No process drives this run; ${commandFor.resume(run.id)} goes on.`,
        style.width,
        style.measure,
      ),
    );
  }
  return `${[...table, ...(advice.length > 0 ? ["", ...advice] : [])].join("\n")}\n`;
}

/** What each agent was last seen doing; signs of an earlier attempt, or of one that has ended, don't count. */
function activitiesFrom(run: Run, signs: readonly SignOfLife[]): Map<StageId, Activity> {
  const latest = new Map<StageId, Activity>();
  for (const { stage, attempt, at, activity } of signs) {
    const moment = Date.parse(at);
    const record = run.stages.get(stage);
    const working = record?.state.kind === "executing" && record.state.phase === "working";
    if (!working || record.attempts !== attempt || moment < (latest.get(stage)?.at ?? 0)) continue;
    latest.set(stage, { text: activity ?? "", at: moment });
  }
  return latest;
}

export type StatusJson = {
  readonly run: string;
  readonly status: Run["status"];
  readonly target: string;
  readonly harness: string;
  readonly startedAt: Timestamp;
  readonly finishedAt: Timestamp | null;
  readonly elapsedMs: Millis;
  /** All sessions of all stages together; null while none has reported any. */
  readonly usage: Usage | null;
  readonly stages: Readonly<Record<StageId, StageStatusJson>>;
};

export type StageStatusJson = FinishedStage & {
  readonly level: number;
  readonly dependencies: readonly StageId[];
  /** How far an executing attempt has come. */
  readonly phase: string | null;
  readonly elapsedMs: Millis | null;
  readonly usage: Usage | null;
  readonly activity: string | null;
  readonly lastSignAt: Timestamp | null;
  readonly question: string | null;
  readonly failure: { readonly kind: string; readonly message: string } | null;
};

/** For programs: nothing is cut or put into words. */
export function statusJson(run: Run, signs: readonly SignOfLife[], now: Millis): StatusJson {
  const activities = activitiesFrom(run, signs);
  const stages = stagesInOrder(run).map(([id, record]): [StageId, StageStatusJson] => {
    const { state } = record;
    const activity = activities.get(id);
    const failure = "failure" in state ? state.failure : (record.failures.at(-1) ?? null);
    return [
      id,
      {
        ...finishedStage(record),
        level: run.graph.levels.get(id) ?? 0,
        dependencies: record.plan.dependencies,
        phase: state.kind === "executing" ? state.phase : null,
        elapsedMs: timeTaken(record, now),
        usage: record.usage,
        activity: activity?.text || null,
        lastSignAt: activity ? new Date(activity.at).toISOString() : null,
        question: state.kind === "waiting-for-input" ? state.question : null,
        failure: failure && { kind: failure.kind, message: failure.message },
      },
    ];
  });
  const end = run.finishedAt === null ? now : Date.parse(run.finishedAt);
  return {
    run: run.id,
    status: run.status,
    target: run.target,
    harness: run.settings.harness,
    startedAt: run.createdAt,
    finishedAt: run.finishedAt,
    elapsedMs: Math.max(0, end - Date.parse(run.createdAt)),
    usage: [...run.stages.values()].reduce<Usage | null>((sum, { usage }) => addUsage(sum, usage), null),
    stages: Object.fromEntries(stages),
  };
}
