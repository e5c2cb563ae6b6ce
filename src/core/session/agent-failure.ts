import type { Millis } from "../ids.ts";

/** Why an agent CLI could not go on, told apart by what has to happen next. */
export type AgentFailure = {
  readonly kind: AgentFailureKind;
  /** One sentence in the provider's or the CLI's words, fit for people. */
  readonly message: string;
  /** When the provider says it can be asked again. */
  readonly resetsAt: Millis | null;
};

export type AgentFailureKind =
  /** The key is missing, wrong or not allowed to do this. */
  | "auth"
  /** What was paid for is used up, or too much was asked in too short a time. */
  | "quota"
  /** The provider is overloaded or broken: it may be better in a moment. */
  | "overloaded"
  /** The provider can't be reached. */
  | "network"
  /** The conversation does not fit into the model's window any more. */
  | "context"
  /** The CLI's own limit of turns or spending was reached. */
  | "turns"
  /** The provider does not take what was sent, such as a model that does not exist. */
  | "bad-request"
  /** The program broke a limit of the sandbox. */
  | "limit"
  /** The program ended without saying how it went. */
  | "cut-off"
  | "unknown";
