import type { RepoEngine } from "../host.ts";
import { unlessForged } from "../recover/unless-forged.ts";
import { findRun } from "./find-run.ts";

/** The run and the stage that a thread is about, for the operator's log. */
export async function runOn(
  engine: RepoEngine,
  number: number,
): Promise<{ readonly run?: string; readonly stage?: string }> {
  const thread = await unlessForged(findRun(engine, number));
  if (!thread) return {};
  const { run } = thread;
  const stage = [...run.stages].find(([, { pr }]) => pr === number)?.[0];
  return stage === undefined ? { run: run.id } : { run: run.id, stage };
}
