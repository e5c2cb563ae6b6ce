import type { SeenRequest } from "./seen-request.ts";

/**
 * What a model does in its turn, said without naming an agent CLI: the server puts it into the protocol and into the
 * tools of whoever asks.
 */
export type Step = FixedStep | ComputedStep;

export type FixedStep = SayStep | ToolStep | ErrorStep | HangStep | CutStep | ObeyStep;

/** Asked anew for each request that comes to it; a list stands in the script in its place. */
export type ComputedStep = (request: SeenRequest) => Step | readonly Step[];

export type SayStep = { readonly say: string; readonly usage?: StepUsage };

export type ToolStep = {
  readonly tools: readonly ToolCall[];
  /** Said before the calls. */
  readonly say?: string;
  readonly usage?: StepUsage;
};

export type ToolCall =
  | { readonly shell: string }
  /** A path is relative to where the agent was started, or absolute. */
  | { readonly write: { readonly path: string; readonly text: string } }
  | { readonly read: string }
  /** Any tool by its own name; a text as input is for tools that take free text. */
  | { readonly raw: { readonly name: string; readonly input: string | Readonly<Record<string, unknown>> } };

export type ErrorStep = { readonly error: StepError; readonly times?: number };

export type StepError = {
  readonly status: number;
  /** `context` and `quota` mean what each provider says then; anything else is sent as it is. */
  readonly type?: string;
  readonly message?: string;
  /** Seconds, in the header and wherever else the provider tells it. */
  readonly retryAfter?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** It comes after a beginning that looked well, as part of the stream. */
  readonly inStream?: true;
};

/** `true` is the same as `before-headers`. */
export type HangStep = { readonly hang: true | "before-headers" | "after-headers"; readonly times?: number };

/** The connection breaks in the middle of a line. */
export type CutStep = { readonly cut: true; readonly say?: string; readonly times?: number };

/** Does what the text says that came since its last turn, see `obey.ts`. */
export type ObeyStep = { readonly obey: true; readonly usage?: StepUsage };

/** `cached` is the part of `input` that was read from a cache. */
export type StepUsage = { readonly input: number; readonly output: number; readonly cached?: number };

/** Steps that end in no turn: the CLI sees no answer that it could keep, so the conversation does not grow. */
export type Disturbance = ErrorStep | HangStep | CutStep;

export type Script = readonly Step[] | ((request: SeenRequest) => Step);

/** A script for some requests. The first rule that fits is taken. */
export type ScriptRule = {
  readonly when: (request: SeenRequest) => boolean;
  readonly script: Script;
  /** What it is for; only `turns` unless it says otherwise. */
  readonly of?: "turns" | "asides";
};

export function isDisturbance(step: FixedStep): step is Disturbance {
  return "error" in step || "hang" in step || "cut" in step;
}
