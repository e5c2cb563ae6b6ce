import type { Usage } from "../core/budget/usage.ts";
import type { Millis, RunId, SessionId, StageId } from "../core/ids.ts";
import type { Effort } from "../core/plan/plan.ts";
import type { Judge } from "../core/policy/judgement.ts";
import type { AgentFailure } from "../core/session/agent-failure.ts";
import type { ProcessExit } from "./process-supervisor.ts";
import type { SandboxSpec } from "./sandbox.ts";

/** An agent CLI. It is given a work tree and a text, and reports in one vocabulary what happens. */
export interface Harness {
  readonly id: string;
  /** It tells in a final text what it did, so that a report can be asked for. */
  readonly speaks: boolean;
  /** What it is started with when nobody asks for a model; null: the CLI's own choice. */
  readonly model: string | null;
  /** For commit messages and names; null: none is configured, so they are not asked for. */
  readonly smallModel: string | null;
  /** It ends by itself when its `budgetUsd` is spent, by prices that it tells only in the end. */
  readonly keepsBudget?: boolean;
  /** Can it be started here, and if not, what is to be done? Never shows a credential. */
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
  /** The whole text: `rules`, then `task`. */
  readonly prompt: string;
  /** The part that never changes, for the CLI's own place for system text. */
  readonly rules: string;
  readonly task: string;
  /** A file outside the work tree that holds the whole text. */
  readonly promptFile: string;
  /** Where the CLI keeps its conversations, for as long as the attempt lasts. */
  readonly home: string;
  /** Folders outside of the work tree that the agent may read with its tools, and none can write; absent: none. */
  readonly shows?: readonly string[];
  /** null: the harness's own. */
  readonly model: string | null;
  readonly effort: Effort | null;
  /** A conversation of this harness to go on with; see SessionEnd.resume. */
  readonly resume: string | null;
  readonly tools: ToolAccess;
  /** Used where the CLI can be told; null: its own. */
  readonly temperature: number | null;
  readonly maxTurns: number | null;
  /** In US dollars, kept by the CLI itself where it can; absent: none. */
  readonly budgetUsd?: number;
  /** What plan, stage and operator allow; the harness adds what it needs itself. */
  readonly sandboxSpec: Pick<
    SandboxSpec,
    "hidden" | "readOnly" | "writable" | "network" | "limits" | "onRefused"
  >;
  /** Asked before each command that the agent runs; null: anything goes. */
  readonly judge: Judge | null;
};

/**
 * What an agent may use, kept by the CLI's own list of tools and, but for `all` and `edit`, by a tree that can't be written.
 * `edit`: it reads and writes files and runs nothing. `shell`: it reads and runs commands. `none`: it may only speak.
 */
export type ToolAccess = "all" | "edit" | "shell" | "read" | "none";

export type HarnessSession = {
  /** Ends when the agent has ended. */
  readonly events: AsyncIterable<HarnessEvent>;
  readonly end: Promise<SessionEnd>;
  stop(graceMs: number): Promise<void>;
};

export type HarnessEvent =
  /** It runs; `conversation` is the harness's own name for it. */
  | { readonly kind: "started"; readonly model: string | null; readonly conversation: string | null }
  /** One line of what the program wrote that means nothing else, for the log. */
  | { readonly kind: "output"; readonly text: string }
  /** What the model says. */
  | { readonly kind: "text"; readonly text: string }
  /** What the agent is doing, for a table cell. */
  | { readonly kind: "activity"; readonly text: string }
  /** `detail` is a command, a path or a search, in one line. */
  | { readonly kind: "tool"; readonly name: string; readonly detail: string }
  | { readonly kind: "tool-result"; readonly ok: boolean; readonly text: string }
  /** What this much more of the session has used. */
  | { readonly kind: "usage"; readonly usage: Usage }
  /** How much of the model's window the conversation takes now, by the CLI's own numbers. */
  | { readonly kind: "context"; readonly used: number; readonly window: number }
  /** The CLI shortened the conversation although it was told not to. */
  | { readonly kind: "compacted" }
  /** The CLI tries again by itself. */
  | { readonly kind: "retrying"; readonly reason: string }
  | { readonly kind: "rate-limit"; readonly resetsAt: Millis | null }
  | { readonly kind: "ask"; readonly question: string };

export type SessionEnd = {
  readonly exit: ProcessExit;
  /** null: it came to its end by itself and says that it is done. */
  readonly failure: AgentFailure | null;
  /** The last thing the model said. */
  readonly text: string | null;
  /** By this name the conversation can be gone on with, for as long as its home is kept. */
  readonly resume: string | null;
  /** Hosts that it asked for and did not get. */
  readonly deniedHosts: readonly string[];
};
