import type { Millis } from "../../ids.ts";
import { counted, formatDuration } from "../../text/durations.ts";

/** Time and programs of one step of the stages, or of one kind of job. */
export type ProfileRow = {
  readonly step: string;
  readonly times: number;
  readonly ms: Millis;
  readonly longestMs: Millis;
  /** How often each program was started there. */
  readonly programs: ReadonlyMap<string, number>;
};

export type ProgramRow = { readonly program: string; readonly times: number; readonly ms: Millis };

export type ProfileReport = {
  readonly elapsedMs: Millis;
  readonly cpuMs: Millis;
  readonly peakMb: number;
  readonly steps: readonly ProfileRow[];
  readonly programs: readonly ProgramRow[];
};

/** LOOM_PROFILE: where the time went, and what was started. Steps of stages overlap when several run at a time. */
export function renderProfile({ elapsedMs, cpuMs, peakMb, steps, programs }: ProfileReport): string {
  const started = programs.reduce((sum, { times }) => sum + times, 0);
  return [
    `Loom ran for ${formatDuration(elapsedMs)}, used ${formatDuration(cpuMs)} of CPU time itself and ${Math.round(peakMb)} MB of memory at most,`,
    `and started ${counted(started, "program")}.`,
    "",
    ...table(
      ["step", "times", "time", "longest", "programs"],
      steps.map((row) => [
        row.step,
        String(row.times),
        formatDuration(row.ms),
        formatDuration(row.longestMs),
        describe(row.programs),
      ]),
    ),
    "",
    ...table(
      ["program", "times", "time"],
      programs.map(({ program, times, ms }) => [program, String(times), formatDuration(ms)]),
    ),
    "",
  ].join("\n");
}

export const profileTexts = {
  written: (folder: string): string =>
    `The profile is in ${folder}: steps.txt, and loom.cpuprofile for a browser's developer tools or an editor.`,
  notWritten: (reason: string): string => `The profile could not be written: ${reason}`,
};

function describe(programs: ReadonlyMap<string, number>): string {
  const sum = [...programs.values()].reduce((total, times) => total + times, 0);
  if (sum === 0) return "none";
  const most = [...programs].sort(([, one], [, other]) => other - one).slice(0, 4);
  return `${sum}: ${most.map(([name, times]) => `${times} ${name}`).join(", ")}${programs.size > 4 ? ", …" : ""}`;
}

/** The first and the last column lean left, the figures between them right. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const isText = (column: number): boolean => column === 0 || head[column] === "programs";
  return all.map((row) =>
    row
      .map((cell, column) =>
        isText(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
}
