import type { RunId, SessionId, StageId } from "../core/ids.ts";
import type { Usage } from "../core/run/events.ts";
import type { ProcessExit } from "./sandbox.ts";

/** An agent CLI. It is given a work tree and a text, and reports in one vocabulary what happens. */
export interface Harness {
  readonly id: string;
  /** Can it be started here, and if not, what is to be done? */
  check(): Promise<HarnessCheck>;
  start(spec: SessionSpec): HarnessSession;
}

export type HarnessCheck =
  | { readonly kind: "ready"; readonly detail: string }
  | { readonly kind: "missing"; readonly reason: string; readonly next: string };

export type SessionSpec = {
  readonly run: RunId;
  readonly stage: StageId;
  readonly attempt: number;
  readonly session: SessionId;
  readonly marker: string;
  /** The work tree; the agent starts here. */
  readonly tree: string;
  readonly signal: string;
  /** A file outside the work tree that holds the same text. */
  readonly signalFile: string;
  readonly model: string | null;
  readonly effort: string | null;
};

export type HarnessSession = {
  /** Ends when the agent has ended. */
  readonly events: AsyncIterable<HarnessEvent>;
  readonly end: Promise<SessionEnd>;
  stop(graceMs: number): Promise<void>;
};

export type HarnessEvent =
  /** One line of what the agent wrote, for the log. */
  | { readonly kind: "output"; readonly text: string }
  /** What the agent is doing, for a table cell. */
  | { readonly kind: "activity"; readonly text: string }
  /** What this much more of the session has used. */
  | { readonly kind: "usage"; readonly usage: Usage }
  | { readonly kind: "ask"; readonly question: string };

export type SessionEnd = {
  readonly exit: ProcessExit;
  /** The harness knows that trying again later may help: overload, rate limit, network. */
  readonly transient: string | null;
};
