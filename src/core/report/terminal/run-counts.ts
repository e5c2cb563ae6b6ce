import type { Millis, StageId } from "../../ids.ts";
import type { Run, StageRecord } from "../../run/run.ts";
import { GROUPS, type Group, stateWords } from "./stage-words.ts";

/** How many stages there are of each kind. */
export type RunCounts = Readonly<Record<Group, number>> & { readonly total: number };

export function countStages(records: Iterable<StageRecord>, now: Millis): RunCounts {
  const counts = { "needs you": 0, working: 0, blocked: 0, queued: 0, waiting: 0, done: 0, total: 0 };
  for (const record of records) {
    counts[stateWords(record, now).group] += 1;
    counts.total += 1;
  }
  return counts;
}

/** Such as "2 working, 1 blocked"; done ones first when `done` asks for them. */
export function countWords(counts: RunCounts, options: { done: boolean }): string[] {
  const groups: Group[] = options.done
    ? ["done", ...GROUPS.filter((group) => group !== "done")]
    : [...GROUPS.slice(0, -1)];
  return groups
    .filter((group) => counts[group] > 0)
    .map((group) => `${counts[group]} ${agree(group, counts[group])}`);
}

function agree(group: Group, n: number): string {
  return group === "needs you" && n > 1 ? "need you" : group;
}

export function mergedCount(run: Run): number {
  let merged = 0;
  for (const { state } of run.stages.values())
    if (state.kind === "completed" && state.merged !== null) merged += 1;
  return merged;
}

/** As people count, from 1; graph and JSON count from 0. */
export function levelOf(run: Run, id: StageId): string {
  return String((run.graph.levels.get(id) ?? 0) + 1);
}

/** By level, then as the plan has them. */
export function stagesInOrder(run: Run): [StageId, StageRecord][] {
  const level = (id: StageId): number => run.graph.levels.get(id) ?? 0;
  return [...run.stages].sort(([a], [b]) => level(a) - level(b));
}

/** What reached the target, in the order in which it did. */
export function mergesInOrder(run: Run): [StageId, StageRecord][] {
  return [...run.stages]
    .filter(([, { state }]) => state.kind === "completed" && state.merged !== null)
    .sort(([, a], [, b]) => endOf(a) - endOf(b) || (a.publishedAt ?? 0) - (b.publishedAt ?? 0));
}

function endOf(record: StageRecord): Millis {
  return record.endedAt === null ? 0 : Date.parse(record.endedAt);
}

export function shortSha(sha: string): string {
  return sha.slice(0, 7);
}

/** From the first event to the last, or until now. */
export function runTime(run: Run, now: Millis): Millis {
  return Math.max(
    0,
    (run.finishedAt === null ? now : Date.parse(run.finishedAt)) - Date.parse(run.createdAt),
  );
}
