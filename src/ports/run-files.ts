import type { Millis, RunId, StageId, Timestamp } from "../core/ids.ts";

/** What a run leaves besides its ledger: prompts, logs, heartbeats. Losing any of it loses no truth. */
export interface RunFiles {
  /** Writes the prompt where the agent can read it; resolves with the path. */
  writePrompt(run: RunId, session: string, text: string): Promise<string>;
  openLog(run: RunId, stage: StageId, attempt: number): LogWriter;
  readLogs(run: RunId, stage: StageId): Promise<SessionLog[]>;
  writeHeartbeat(run: RunId, beat: Heartbeat): Promise<void>;
  readHeartbeats(run: RunId): Promise<Heartbeat[]>;
  /** A document for people, such as a crash report; resolves with the path. */
  writeReport(run: RunId, name: string, text: string): Promise<string>;
  readReports(run: RunId): Promise<Record<string, string>>;
  remove(run: RunId): Promise<void>;
  /** How much lies here of each run, whether its ledger is still there or not. */
  kept(): Promise<readonly KeptFiles[]>;
  /** As `remove`, and `sweptAt` tells from then on. */
  sweep(run: RunId, at: Timestamp): Promise<void>;
  /** When what a run left was removed to make room; null: it was not. */
  sweptAt(run: RunId): Promise<Timestamp | null>;
}

export type KeptFiles = {
  readonly run: RunId;
  readonly bytes: number;
  /** When the last of it was written. */
  readonly touchedAt: Millis;
};

/** Capped: what comes after the cap is counted, not kept. */
export interface LogWriter {
  readonly path: string;
  write(line: string): void;
  /** True when it is full: then the line is counted, and nobody needs to make it fit to be kept. */
  skip?(line: string): boolean;
  close(): Promise<void>;
}

export type SessionLog = { readonly attempt: number; readonly path: string; readonly text: string };

export type Heartbeat = {
  readonly stage: StageId;
  readonly attempt: number;
  readonly session: string;
  readonly at: string;
  readonly activity: string | null;
  readonly lastTool?: string | null | undefined;
  /** Of the model's window, by the CLI's own numbers. */
  readonly contextPercent?: number | null | undefined;
};
