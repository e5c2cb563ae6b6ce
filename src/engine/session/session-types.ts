import type { Usage } from "../../core/budget/usage.ts";
import type { SessionId } from "../../core/ids.ts";
import type { Effort } from "../../core/plan/plan.ts";
import type { Judge } from "../../core/policy/judgement.ts";
import type { AgentFailure } from "../../core/session/agent-failure.ts";
import type { SessionNote } from "../../core/session/compose-hand-off.ts";
import type { Harness, SessionSpec } from "../../ports/harness.ts";
import type { Claim } from "../attempt/claim.ts";

/** What one session is started with. */
export type SessionRequest = Pick<
  SessionSpec,
  | "marker"
  | "tree"
  | "home"
  | "shows"
  | "resume"
  | "tools"
  | "temperature"
  | "maxTurns"
  | "budgetUsd"
  | "sandboxSpec"
  | "model"
> & {
  readonly claim: Claim;
  readonly harness: Harness;
  readonly session: SessionId;
  readonly prompt: { readonly text: string; readonly rules: string; readonly task: string };
  readonly effort: Effort | null;
  readonly judge: Judge | null;
  /** Percent of the model's window at which it has to hand over; null: it may fill what is left. */
  readonly contextBudget: number | null;
  readonly ceilingSecs: number;
  /** 0 turns the stall guard off. */
  readonly stallSecs: number;
  /** Told what the session has used so far, each time that grows. */
  readonly onUsage?: (usage: Usage) => void;
  readonly abort: AbortSignal;
};

export type SessionResult = {
  readonly session: SessionId;
  readonly outcome: SessionOutcome;
  readonly usage: Usage | null;
  readonly context: { readonly used: number; readonly window: number } | null;
  /** As the CLI gave it. */
  readonly model: string | null;
  readonly durationMs: number;
  readonly exitCode: number | null;
  readonly exitSignal: string | null;
  readonly deniedHosts: readonly string[];
  readonly resume: string | null;
  /** The last thing the model said. */
  readonly text: string | null;
  /** The last of what it did, for a hand-off that Loom has to write itself. */
  readonly notes: readonly SessionNote[];
  readonly usedTools: boolean;
  /** The end of what it wrote. */
  readonly tail: string;
};

export type SessionOutcome =
  | { readonly kind: "finished" }
  | { readonly kind: "asked"; readonly question: string }
  | { readonly kind: "failed"; readonly code: number; readonly failure: AgentFailure | null }
  | { readonly kind: "crashed"; readonly signal: string }
  /** `overflow`: the provider did not take the conversation any more. */
  | { readonly kind: "exhausted"; readonly overflow: boolean }
  | { readonly kind: "stalled" }
  | { readonly kind: "timed-out" }
  | { readonly kind: "aborted" }
  | { readonly kind: "not-started"; readonly reason: string };
