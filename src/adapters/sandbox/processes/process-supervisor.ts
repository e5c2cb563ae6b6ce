import { randomBytes } from "node:crypto";
import { performance } from "node:perf_hooks";
import { InternalError } from "../../../core/errors.ts";
import type { ProcessSupervisor } from "../../../ports/process-supervisor.ts";
import { endProcesses } from "./end-processes.ts";
import { type OrphanReaper, startOrphanReaper } from "./orphan-reaper.ts";
import type { ProcessEntry, ProcessReader } from "./process-entry.ts";
import { createProcessReader } from "./process-reader.ts";
import { type Kin, selectProcesses } from "./select-processes.ts";
import { type Session, startSession } from "./session.ts";
import { createStdioMaker } from "./stdio.ts";

export type SupervisorOptions = {
  /** How long what a program left behind may take to end by itself, once asked. */
  readonly graceMs?: number;
  /** How long a killed process may take to disappear. */
  readonly patienceMs?: number;
  readonly reader?: ProcessReader;
};

/**
 * Programs outside of a sandbox, but none outlives its session. What belongs to a session is found by its marker in
 * the environment, by the group and session of its leader, by descent, and by having been seen as a descendant before.
 * One way out stays open: to clear the environment, leave the session and lose the parent, all between two sweeps. Only
 * a PID namespace closes that.
 *
 * A program's exit is not reported before the rest of its session is gone. Of several programs that run at the same
 * time under one marker, the last one takes the marked rest along; the others only what descends from them.
 */
export function createSupervisor(options: SupervisorOptions = {}): ProcessSupervisor {
  const { graceMs = 200, patienceMs = 5000, reader = createProcessReader() } = options;
  const owner = randomBytes(16).toString("hex");
  const stdio = createStdioMaker();
  const sessions = new Set<Session>();
  const failures: unknown[] = [];
  let reaper: OrphanReaper | null = null;
  let sweep: NodeJS.Timeout | null = null;
  let closing: Promise<void> | null = null;

  const select = (entries: readonly ProcessEntry[], kin: Kin): ProcessEntry[] =>
    selectProcesses(entries, kin, new Set([0, 1, process.pid, reaper?.pid() ?? 0]));

  const end = (kin: () => readonly Kin[], killAt: () => number, everything: boolean): Promise<number> => {
    // A parent that goes first takes the proof of descent along, so whoever was found once stays known.
    const known = new Map<number, number>();
    const find = async () => {
      const entries = await reader.read({ everything });
      const found = new Map<number, ProcessEntry>();
      for (const one of [...kin(), { marker: null, owner: null, leader: null, known }]) {
        for (const entry of select(entries, one)) found.set(entry.pid, entry);
      }
      for (const entry of found.values()) known.set(entry.pid, entry.started);
      return { found: [...found.values()], unsettled: entries.some((entry) => entry.unsettled) };
    };
    return endProcesses({ find, killAt, patienceMs });
  };

  const remember = async (): Promise<void> => {
    const entries = await reader.read({ everything: false });
    for (const session of sessions) {
      session.remember(select(entries, session.kin()));
      reaper?.watch(session.leader);
    }
  };

  const sweepSoon = (lastTookMs: number): void => {
    // At most one part in fifty of the time goes into looking, however many processes there are.
    sweep = setTimeout(sweepNow, Math.max(reader.sweepMs, 50 * lastTookMs)).unref();
  };
  const sweepNow = async (): Promise<void> => {
    const mine = sweep;
    const began = performance.now();
    await remember().catch(() => {});
    if (sweep === mine) sweepSoon(performance.now() - began);
  };
  const stopSweeping = (): void => {
    if (sweep) clearTimeout(sweep);
    sweep = null;
  };

  /** Also after someone ended the last one. */
  const wakeReaper = (): void => {
    if (reaper && reaper.pid() !== null) return;
    reaper = startOrphanReaper(owner);
  };

  const host = {
    owner,
    stdio,
    graceMs,
    startOf: reader.startOf,
    admit(session: Session) {
      sessions.add(session);
      if (!sweep) sweepSoon(0);
    },
    dismiss(session: Session) {
      sessions.delete(session);
      reaper?.forget(session.leader);
      if (sessions.size === 0) stopSweeping();
    },
    async end(session: Session, scope: "marker" | "descent", killAt: () => number) {
      await end(
        () => [scope === "marker" ? session.kin() : { ...session.kin(), marker: null }],
        killAt,
        false,
      );
    },
    isShared: (session: Session) =>
      [...sessions].some((other) => other !== session && other.marker === session.marker),
    onSurvivors: (error: unknown) => void failures.push(error),
  };

  const close = async (): Promise<void> => {
    if (!reaper) return;
    const stops = await Promise.allSettled([...sessions].map((session) => session.stop(graceMs)));
    const killAt = performance.now() + graceMs;
    const owned: Kin = { marker: null, owner, leader: null, known: new Map() };
    const [last] = await Promise.allSettled([
      end(
        () => [owned],
        () => killAt,
        true,
      ),
    ]);
    stopSweeping();
    stdio.close();
    await reaper.dismiss();
    for (const result of [...stops, last]) if (result?.status === "rejected") failures.push(result.reason);
    if (failures.length > 0) throw new AggregateError(failures, "failed to end all that was started");
  };

  return {
    spawn(spec) {
      if (closing) throw new InternalError("the sandbox is closed");
      if (!/^[\w.:@/-]+$/.test(spec.marker))
        throw new InternalError(`bad marker ${JSON.stringify(spec.marker)}`);
      wakeReaper();
      return startSession(spec, host);
    },

    reap(marker) {
      const killAt = performance.now() + graceMs;
      const kin = (): Kin[] => [
        { marker, owner: null, leader: null, known: new Map() },
        ...[...sessions].filter((session) => session.marker === marker).map((session) => session.kin()),
      ];
      return end(kin, () => killAt, true);
    },

    close: () => (closing ??= close()),
  };
}
