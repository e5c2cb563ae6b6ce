import { addUsage, type Usage } from "../../budget/usage.ts";
import type { Millis, StageId, Timestamp } from "../../ids.ts";
import type { Run, StageRecord } from "../../run/run.ts";
import { usageByAgent } from "../../run/usage-by-agent.ts";
import type { SessionState } from "../../session/session-state.ts";
import { timeTaken } from "../../text/durations.ts";
import { countCodePoints, wrapText } from "../../text/text-width.ts";
import { type FinishedStage, finishedStage } from "../commands/finished-json.ts";
import { adviceLines } from "../texts/advice.ts";
import { commandFor } from "../texts/escalation.ts";
import { stagesInOrder } from "./run-counts.ts";
import { renderRunTable, type TableView } from "./run-table.ts";
import type { Activity } from "./stage-words.ts";

/** The sign of life a session leaves beside the ledger. */
export type SignOfLife = {
  readonly stage: StageId;
  readonly attempt: number;
  readonly at: Timestamp;
  readonly activity: string | null;
  /** Of the model's window. */
  readonly contextPercent?: number | null | undefined;
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

function activitiesFrom(run: Run, signs: readonly SignOfLife[]): Map<StageId, Activity> {
  const latest = [...latestSigns(run, signs)];
  return new Map(
    latest.map(([stage, { activity, at }]) => [stage, { text: activity ?? "", at: Date.parse(at) }]),
  );
}

/** The last of each agent that works; signs of an earlier attempt, or of one that has ended, don't count. */
function latestSigns(run: Run, signs: readonly SignOfLife[]): Map<StageId, SignOfLife> {
  const latest = new Map<StageId, SignOfLife>();
  for (const sign of signs) {
    const { stage, attempt, at } = sign;
    const record = run.stages.get(stage);
    const working = record?.state.kind === "executing" && record.state.phase === "working";
    if (!working || record.attempts !== attempt) continue;
    if (Date.parse(at) >= Date.parse(latest.get(stage)?.at ?? at)) latest.set(stage, sign);
  }
  return latest;
}

export type StatusJson = {
  readonly run: string;
  readonly name: string | null;
  readonly status: Run["status"];
  readonly target: string;
  readonly harness: string;
  readonly startedAt: Timestamp;
  readonly finishedAt: Timestamp | null;
  readonly elapsedMs: Millis;
  /** All sessions of all stages together; null while none has reported any. */
  readonly usage: Usage | null;
  /** The same by harness and model. */
  readonly usageBy: Readonly<Record<string, Usage>>;
  /** Absent: it is not. */
  readonly archived?: true;
  readonly stages: Readonly<Record<StageId, StageStatusJson>>;
};

function sessionJson({ session }: StageRecord, sign: SignOfLife | undefined): StageStatusJson["session"] {
  if (!session) return null;
  const { harness, model, state, context } = session;
  const atItsEnd = context ? Math.round((context.used / context.window) * 100) : null;
  return { harness, model, state, contextPercent: atItsEnd ?? sign?.contextPercent ?? null };
}

export type StageStatusJson = FinishedStage & {
  readonly level: number;
  readonly dependencies: readonly StageId[];
  /** How far an executing attempt has come. */
  readonly phase: string | null;
  readonly elapsedMs: Millis | null;
  /** When a queued stage may start; null: as soon as there is room. */
  readonly notBefore: Millis | null;
  readonly usage: Usage | null;
  /** The same by harness and model, such as `claude/opus`. */
  readonly usageBy: Readonly<Record<string, Usage>>;
  /** Of the session that runs or ran last; null while nothing is known of it. */
  readonly session: {
    readonly harness: string;
    readonly model: string | null;
    readonly state: SessionState;
    /** Of the model's window. */
    readonly contextPercent: number | null;
  } | null;
  readonly deniedHosts: readonly string[];
  readonly warnings: readonly string[];
  readonly activity: string | null;
  readonly lastSignAt: Timestamp | null;
  readonly question: string | null;
  readonly failure: { readonly kind: string; readonly message: string } | null;
};

/** For programs: nothing is cut or put into words. */
export function statusJson(run: Run, signs: readonly SignOfLife[], now: Millis): StatusJson {
  const latest = latestSigns(run, signs);
  const stages = stagesInOrder(run).map(([id, record]): [StageId, StageStatusJson] => {
    const { state } = record;
    const sign = latest.get(id);
    const failure = "failure" in state ? state.failure : (record.failures.at(-1) ?? null);
    return [
      id,
      {
        ...finishedStage(record),
        level: run.graph.levels.get(id) ?? 0,
        dependencies: record.plan.dependencies,
        phase: state.kind === "executing" ? state.phase : null,
        elapsedMs: timeTaken(record, now),
        notBefore: state.kind === "queued" ? state.notBefore : null,
        usage: record.usage,
        usageBy: Object.fromEntries(record.usageBy),
        session: sessionJson(record, sign),
        deniedHosts: record.deniedHosts,
        warnings: record.warnings,
        activity: sign?.activity || null,
        lastSignAt: sign ? new Date(sign.at).toISOString() : null,
        question: state.kind === "waiting-for-input" ? state.question : null,
        failure: failure && { kind: failure.kind, message: failure.message },
      },
    ];
  });
  const end = run.finishedAt === null ? now : Date.parse(run.finishedAt);
  return {
    run: run.id,
    name: run.plan.name ?? run.name,
    status: run.status,
    target: run.target,
    harness: run.settings.harness,
    startedAt: run.createdAt,
    finishedAt: run.finishedAt,
    elapsedMs: Math.max(0, end - Date.parse(run.createdAt)),
    usage: [...run.stages.values()].reduce<Usage | null>((sum, { usage }) => addUsage(sum, usage), null),
    usageBy: Object.fromEntries(usageByAgent(run)),
    ...(run.archived ? { archived: true } : {}),
    stages: Object.fromEntries(stages),
  };
}
