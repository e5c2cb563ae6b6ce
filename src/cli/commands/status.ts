import stringWidth from "string-width";
import { UserError } from "../../core/errors.ts";
import type { Timestamp } from "../../core/ids.ts";
import { renderLogIndex, renderLogs } from "../../core/report/terminal/log-lines.ts";
import { renderStatus, statusJson } from "../../core/report/terminal/run-status.ts";
import { renderRuns } from "../../core/report/terminal/runs-list.ts";
import { startTexts } from "../../core/report/texts/start-texts.ts";
import type { Run } from "../../core/run/run.ts";
import { type Local, openLocal } from "../../wiring/local.ts";
import { followRun } from "../follow-run.ts";
import { allRuns, pickRun } from "../input/pick-run.ts";
import { explain, type Io, say } from "../io.ts";
import { formatLocalDay } from "../output/local-time.ts";
import { wantsColor } from "../output/wants-color.ts";

const PIPE_WIDTH = 120;

export async function status(
  io: Io,
  name: string | undefined,
  options: { live: boolean; json: boolean; all?: boolean },
): Promise<number> {
  return reading(io, async (local) => {
    const picked = await pickRun(local.engine, name, (run) => options.all === true || !run.archived);
    // Who names a run wants to see that one.
    if (picked.archived && name === undefined && !options.all)
      throw new UserError(startTexts.allArchived(), { next: startTexts.allArchivedNext() });
    if (options.live && (await followRun(io, local, picked.id, options.json)) !== "undriven") return 0;
    const run = await local.engine.runs.get(picked.id);
    const beats = await local.engine.files.readHeartbeats(run.id);
    if (options.json) say(io, JSON.stringify(statusJson(run, beats, Date.now())));
    else {
      const driven = (await local.lease.holder(run.id)) !== null;
      io.stdout.write(renderStatus(run, beats, { ...look(io), now: Date.now(), driven }));
      const swept = await local.engine.files.sweptAt(run.id);
      if (swept !== null) say(io, startTexts.logsSwept(swept));
    }
    return 0;
  });
}

export async function runs(io: Io, options: { json: boolean; all?: boolean }): Promise<number> {
  return reading(io, async (local) => {
    const { runs: known, unreadable } = await allRuns(local.engine);
    const all = known.filter((run) => options.all || !run.archived);
    const hidden = known.length - all.length;
    if (options.json) for (const run of all) say(io, JSON.stringify(statusJson(run, [], Date.now())));
    else if (known.length > 0 || unreadable.length === 0)
      for (const line of renderRuns(all, {
        ...look(io),
        now: Date.now(),
        formatTime: formatLocalDay,
        hidden,
      }))
        say(io, line);
    for (const { id, reason } of unreadable)
      explain(io, startTexts.unreadable(id, reason), startTexts.forgetUnreadable(id));
    return unreadable.length > 0 ? 1 : 0;
  });
}

export async function logs(io: Io, name: string, stage: string | undefined): Promise<number> {
  return reading(io, async (local) => {
    const run = await pickRun(local.engine, name);
    const swept = await local.engine.files.sweptAt(run.id);
    io.stdout.write(stage === undefined ? index(run, swept) : await pages(local, run, stage, swept));
    return 0;
  });
}

function index(run: Run, swept: Timestamp | null): string {
  const started = [...run.stages].filter(([, record]) => record.attempts > 0).map(([id]) => id);
  return renderLogIndex(run, new Set(started), swept);
}

async function pages(local: Local, run: Run, stage: string, swept: Timestamp | null): Promise<string> {
  if (!run.stages.has(stage)) {
    throw new UserError(`The run ${run.id} has no stage ${stage}.`, {
      next: `\`loom logs ${run.id}\` lists its stages.`,
      exitCode: 2,
    });
  }
  return renderLogs(run, stage, await local.engine.files.readLogs(run.id, stage), swept);
}

async function reading(io: Io, act: (local: Local) => Promise<number>): Promise<number> {
  const local = await openLocal({ cwd: io.cwd, env: io.env, feed: () => {}, runsAgents: false });
  try {
    return await act(local);
  } finally {
    await local.close();
  }
}

function look(io: Io): { width: number; color: boolean; measure: (text: string) => number } {
  return {
    width: io.stdout.columns || PIPE_WIDTH,
    color: wantsColor(io.stdout, io.env),
    measure: stringWidth,
  };
}
