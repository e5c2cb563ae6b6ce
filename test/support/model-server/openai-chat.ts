import { type Json, list, number, object, text, textOf } from "./json.ts";
import { openaiFailure } from "./openai-failure.ts";
import { type Frame, type Item, type Protocol, pieces, type Turn } from "./protocol.ts";
import { parametersOf } from "./seen-request.ts";

const OVERFLOW =
  "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens. Please reduce the length of the messages.";

/** The Chat Completions protocol of OpenAI, which many other providers speak too. */
export const openaiChat: Protocol = {
  id: "chat",
  read: (body) => ({
    model: typeof body.model === "string" ? body.model : null,
    stream: body.stream === true,
    maxTokens: number(body.max_tokens) ?? number(body.max_completion_tokens),
    temperature: number(body.temperature),
    items: list(body.messages).map((message) => readMessage(message)),
    tools: list(body.tools).map((tool) => ({
      name: text(object(tool.function).name),
      namespace: null,
      kind: "function",
      parameters: parametersOf(object(object(tool.function).parameters)),
    })),
  }),
  whole: (turn) => ({
    ...head(turn, "chat.completion"),
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: turn.say === "" ? null : turn.say,
          ...(turn.calls.length > 0 ? { tool_calls: callsOf(turn) } : {}),
        },
        finish_reason: finishReason(turn),
      },
    ],
    usage: usageOf(turn),
  }),
  frames: (turn) => [
    chunk(turn, { role: "assistant", content: "" }),
    ...pieces(turn.say).map((content) => chunk(turn, { content })),
    ...callsOf(turn).flatMap((call) => callChunks(turn, call)),
    { data: { ...head(turn, "chat.completion.chunk"), choices: [choice({}, finishReason(turn))] } },
    { data: { ...head(turn, "chat.completion.chunk"), choices: [], usage: usageOf(turn) } },
    { data: "[DONE]" },
  ],
  failure: (error) => openaiFailure(error, OVERFLOW),
  failureFrame: (_turn, failure) => ({ data: failure.body }),
  count: (tokens) => ({ total_tokens: tokens }),
};

function readMessage(message: Json): Item {
  const said = textOf(message.content);
  switch (message.role) {
    case "assistant":
      return { by: "assistant", text: said };
    case "user":
      return { by: "user", text: said };
    case "tool":
      return { by: "tool", id: text(message.tool_call_id), name: null, text: said, failed: false };
    default:
      return { by: "system", text: said };
  }
}

type Call = {
  readonly index: number;
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
};

function callsOf(turn: Turn): readonly Call[] {
  return turn.calls.map((call, index) => ({
    index,
    id: `call_${turn.id}_${index}`,
    type: "function",
    function: {
      name: call.name,
      arguments: JSON.stringify(typeof call.input === "string" ? { input: call.input } : call.input),
    },
  }));
}

function callChunks(turn: Turn, call: Call): readonly Frame[] {
  const begun = { ...call, function: { ...call.function, arguments: "" } };
  return [
    chunk(turn, { tool_calls: [begun] }),
    ...pieces(call.function.arguments).map((part) =>
      chunk(turn, { tool_calls: [{ index: call.index, function: { arguments: part } }] }),
    ),
  ];
}

function chunk(turn: Turn, delta: Json): Frame {
  return { data: { ...head(turn, "chat.completion.chunk"), choices: [choice(delta, null)] } };
}

function choice(delta: Json, finish_reason: string | null): Json {
  return { index: 0, delta, finish_reason };
}

function head(turn: Turn, object: string): Json {
  return { id: `chatcmpl-${turn.id}`, object, created: 0, model: turn.model };
}

function finishReason(turn: Turn): string {
  return turn.calls.length > 0 ? "tool_calls" : "stop";
}

function usageOf(turn: Turn): Json {
  const { input, output, cached } = turn.usage;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}
