import type { Json } from "./json.ts";
import type { OfferedTool, ProtocolId } from "./seen-request.ts";
import type { StepError } from "./step.ts";

/** One of the ways in which agent CLIs talk to models. All functions are pure: the server does the sending. */
export type Protocol = {
  readonly id: ProtocolId;
  read(body: Json, path: string): Reading;
  /** The answer in one piece. */
  whole(turn: Turn): unknown;
  /** The same answer as a stream. */
  frames(turn: Turn): readonly Frame[];
  /** The provider's own words for it, in its own shape. */
  failure(error: StepError): Failure;
  /** How the provider tells a failure after the stream has begun. */
  failureFrame(turn: Turn, failure: Failure): Frame;
  count(tokens: number): unknown;
};

export type Reading = {
  readonly model: string | null;
  readonly stream: boolean;
  /** null: it sets no limit. */
  readonly maxTokens: number | null;
  /** null: it leaves that to the provider. */
  readonly temperature: number | null;
  readonly items: readonly Item[];
  readonly tools: readonly OfferedTool[];
};

/** A conversation, the same for all protocols. */
export type Item =
  | { readonly by: "system" | "user" | "assistant"; readonly text: string }
  | {
      readonly by: "tool";
      readonly id: string;
      readonly name: string | null;
      readonly text: string;
      readonly failed: boolean;
    };

export type Turn = {
  /** A name for the answer, of which ids are made. */
  readonly id: string;
  readonly model: string;
  readonly say: string;
  readonly calls: readonly NativeCall[];
  readonly usage: { readonly input: number; readonly output: number; readonly cached: number };
};

/** A call of a tool that the CLI really offers. */
export type NativeCall = {
  readonly name: string;
  readonly namespace: string | null;
  readonly input: string | Json;
};

/** One event of a stream; `[DONE]` is the only text that is sent as it is. */
export type Frame = { readonly event?: string; readonly data: Json | "[DONE]" };

export type Failure = { readonly status: number; readonly body: Json };

/** A text as a model sends it: in pieces. */
export function pieces(whole: string): readonly string[] {
  return whole.match(/[\s\S]{1,32}/gu) ?? [];
}
