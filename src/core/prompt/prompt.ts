import type { AgentProfile } from "../plan/agent-profile.ts";
import type { Skill } from "../roster/roster.ts";
import type { CompletionMode } from "../session/completion.ts";
import type { HandOff } from "../session/hand-off.ts";

/**
 * The text a session is started with, in four sections ordered by how seldom they change, so that a model's cache can
 * keep the front: the rules, byte for byte the same in all runs for the same kind of session; then what changes with the
 * plan; then what changes with the session; and last what to do right now. The rules and the last section are never cut.
 */
export type Prompt = {
  readonly type: PromptType;
  /** `rules`, an empty line, `task`. */
  readonly text: string;
  readonly rules: string;
  readonly task: string;
  readonly metrics: PromptMetrics;
};

export type PromptKind = "stage" | "retry" | "recovery" | "hand-off" | "merge-conflict";
/** Knowledge is a kind of stage, but its sessions are told apart in what people see. */
export type PromptType = PromptKind | "knowledge";

export type PromptMetrics = {
  /** The first 16 hexadecimal digits: two sessions with the same share their cache. */
  readonly prefixHash: string;
  readonly prefixBytes: number;
  readonly bytes: number;
  /** An estimate. */
  readonly tokens: number;
  /** Which parts were shortened or left out. */
  readonly cut: readonly string[];
};

export type PromptContext = {
  readonly kind: PromptKind;
  /** What the stage has changed so far against its base, as a diff that was cut where necessary. */
  readonly changedSoFar: string | null;
  readonly conflict: {
    readonly files: readonly string[];
    readonly ours: string;
    readonly theirs: string;
  } | null;
  /** What the session before left. */
  readonly handOff: HandOff | null;
  /** Whether the agent has to end with a completion block; off when it is not said. */
  readonly contract?: CompletionMode;
  /** Who does the stage; nobody in particular when it is not said. */
  readonly agent?: AgentProfile | null;
  /** The methods that are handed over, the most fitting first. */
  readonly skills?: readonly Skill[];
};
