import { type Json, list, number, object, text, textOf } from "./json.ts";
import { type Frame, type Item, type NativeCall, type Protocol, pieces, type Turn } from "./protocol.ts";
import { parametersOf } from "./seen-request.ts";
import type { StepError } from "./step.ts";

/** The Messages protocol of Anthropic. */
export const anthropic: Protocol = {
  id: "anthropic",
  read: (body) => ({
    model: typeof body.model === "string" ? body.model : null,
    stream: body.stream === true,
    maxTokens: number(body.max_tokens),
    temperature: number(body.temperature),
    items: [
      { by: "system", text: textOf(body.system) },
      ...list(body.messages).flatMap((message) => readMessage(message)),
    ],
    tools: list(body.tools).map((tool) => ({
      name: text(tool.name),
      namespace: null,
      kind: "function",
      parameters: parametersOf(object(tool.input_schema)),
    })),
  }),
  whole: (turn) => ({
    ...emptyMessage(turn),
    content: contentOf(turn),
    stop_reason: stopReason(turn),
    usage: usageOf(turn, turn.usage.output),
  }),
  frames: (turn) => [
    frame("message_start", { message: emptyMessage(turn) }),
    frame("ping", {}),
    ...contentOf(turn).flatMap((block, index) => blockFrames(block, index)),
    frame("message_delta", {
      delta: { stop_reason: stopReason(turn), stop_sequence: null },
      usage: usageOf(turn, turn.usage.output),
    }),
    frame("message_stop", {}),
  ],
  failure: (error) => {
    const { type, message } = told(error);
    return {
      status: error.status,
      body: { type: "error", error: { type, message }, request_id: "req_011loom" },
    };
  },
  failureFrame: (_turn, failure) => ({ event: "error", data: failure.body }),
  count: (tokens) => ({ input_tokens: tokens }),
};

function readMessage(message: Json): readonly Item[] {
  const by = message.role === "assistant" ? "assistant" : message.role === "system" ? "system" : "user";
  if (by !== "user") return [{ by, text: textOf(message.content) }];
  const results = list(message.content).filter((part) => part.type === "tool_result");
  const said = textOf(message.content);
  return [
    ...results.map(
      (part): Item => ({
        by: "tool",
        id: text(part.tool_use_id),
        name: null,
        text: textOf(part.content),
        failed: part.is_error === true,
      }),
    ),
    ...(said === "" ? [] : [{ by, text: said } as const]),
  ];
}

function emptyMessage(turn: Turn): Json {
  return {
    id: `msg_${turn.id}`,
    type: "message",
    role: "assistant",
    model: turn.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: usageOf(turn, 1),
  };
}

type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: Json };

function contentOf(turn: Turn): readonly Block[] {
  return [
    ...(turn.say === "" ? [] : [{ type: "text", text: turn.say } as const]),
    ...turn.calls.map(
      (call, index): Block => ({
        type: "tool_use",
        id: `toolu_${turn.id}_${index}`,
        name: call.name,
        input: inputOf(call),
      }),
    ),
  ];
}

function inputOf(call: NativeCall): Json {
  return typeof call.input === "string" ? { input: call.input } : call.input;
}

function blockFrames(block: Block, index: number): readonly Frame[] {
  const parts = block.type === "text" ? pieces(block.text) : pieces(JSON.stringify(block.input));
  return [
    frame("content_block_start", {
      index,
      content_block: block.type === "text" ? { type: "text", text: "" } : { ...block, input: {} },
    }),
    ...parts.map((part) =>
      frame("content_block_delta", {
        index,
        delta:
          block.type === "text"
            ? { type: "text_delta", text: part }
            : { type: "input_json_delta", partial_json: part },
      }),
    ),
    frame("content_block_stop", { index }),
  ];
}

function frame(type: string, rest: Json): Frame {
  return { event: type, data: { type, ...rest } };
}

function stopReason(turn: Turn): string {
  return turn.calls.length > 0 ? "tool_use" : "end_turn";
}

/** This provider counts what came from its cache apart from `input_tokens`. */
function usageOf(turn: Turn, output: number): Json {
  return {
    input_tokens: turn.usage.input - turn.usage.cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: turn.usage.cached,
    output_tokens: output,
    service_tier: "standard",
  };
}

const TYPES: Readonly<Record<number, readonly [type: string, message: string]>> = {
  400: ["invalid_request_error", "messages: at least one message is required"],
  401: ["authentication_error", "invalid x-api-key"],
  403: ["permission_error", "Your API key does not have permission to use the specified resource"],
  404: ["not_found_error", "model: not found"],
  413: ["request_too_large", "Request exceeds the maximum size"],
  429: [
    "rate_limit_error",
    "This request would exceed your organization's rate limit of 50 requests per minute",
  ],
  500: ["api_error", "Internal server error"],
  529: ["overloaded_error", "Overloaded"],
};

function told(error: StepError): { readonly type: string; readonly message: string } {
  const [type, message] = TYPES[error.status] ?? ["api_error", "Internal server error"];
  switch (error.type) {
    case "context":
      return {
        type: "invalid_request_error",
        message: error.message ?? "prompt is too long: 208310 tokens > 200000 maximum",
      };
    case "quota":
      return {
        type: "invalid_request_error",
        message:
          error.message ??
          "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
      };
    default:
      return { type: error.type ?? type, message: error.message ?? message };
  }
}
