import { type Json, list, number, object, text, textOf } from "./json.ts";
import { openaiFailure } from "./openai-failure.ts";
import { type Item, type Protocol, pieces, type Turn } from "./protocol.ts";
import { type OfferedTool, parametersOf } from "./seen-request.ts";

const OVERFLOW =
  "Your input exceeds the context window of this model. Please adjust your input and try again.";

/** The Responses protocol of OpenAI. */
export const openaiResponses: Protocol = {
  id: "responses",
  read: (body) => ({
    model: typeof body.model === "string" ? body.model : null,
    stream: body.stream === true,
    maxTokens: number(body.max_output_tokens),
    temperature: number(body.temperature),
    items: [
      { by: "system", text: text(body.instructions) },
      ...(typeof body.input === "string"
        ? [{ by: "user", text: body.input } as const]
        : list(body.input).flatMap((item) => readItem(item))),
    ],
    // Some models are offered their tools as an item of the conversation.
    tools: [...list(body.tools), ...list(body.input).flatMap((item) => additionalTools(item))].flatMap(
      (tool) => readTool(tool, null),
    ),
  }),
  whole: (turn) => completed(turn),
  frames: (turn) => {
    const events: readonly Event[] = [
      event("response.created", { response: begun(turn) }),
      event("response.in_progress", { response: begun(turn) }),
      ...outputOf(turn).flatMap((item, index) => itemEvents(item, index)),
      event("response.completed", { response: completed(turn) }),
    ];
    return events.map((each, number) => ({ ...each, data: { ...each.data, sequence_number: number } }));
  },
  failure: (error) => openaiFailure(error, OVERFLOW),
  failureFrame: (turn, failure) => {
    const { code, type, message } = object(failure.body.error);
    const response = { ...begun(turn), status: "failed", error: { code: code ?? type, message } };
    return event("response.failed", { response });
  },
  count: (tokens) => ({ object: "response.input_tokens", input_tokens: tokens }),
};

function readItem(item: Json): readonly Item[] {
  const type = text(item.type);
  if (type.endsWith("_call_output")) {
    const output = item.output;
    return [
      {
        by: "tool",
        id: text(item.call_id),
        name: null,
        text: textOf(output),
        failed: object(output).success === false,
      },
    ];
  }
  if (type === "reasoning" || type.endsWith("_call")) return [{ by: "assistant", text: "" }];
  if (type !== "" && type !== "message") return [];
  const said = textOf(item.content);
  switch (item.role) {
    case "assistant":
      return [{ by: "assistant", text: said }];
    case "user":
      return [{ by: "user", text: said }];
    default:
      return [{ by: "system", text: said }];
  }
}

function additionalTools(item: Json): readonly Json[] {
  return item.type === "additional_tools" ? list(item.tools) : [];
}

function readTool(tool: Json, namespace: string | null): readonly OfferedTool[] {
  if (tool.type === "namespace") return list(tool.tools).flatMap((inner) => readTool(inner, text(tool.name)));
  return [
    {
      name: text(tool.name) || text(tool.type),
      namespace,
      kind: tool.type === "custom" ? "freeform" : "function",
      parameters: parametersOf(object(tool.parameters)),
    },
  ];
}

function begun(turn: Turn): Json {
  return {
    id: `resp_${turn.id}`,
    object: "response",
    created_at: 0,
    model: turn.model,
    status: "in_progress",
    output: [],
    usage: null,
    error: null,
  };
}

function completed(turn: Turn): Json {
  const { input, output, cached } = turn.usage;
  return {
    ...begun(turn),
    status: "completed",
    output: outputOf(turn),
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + output,
    },
  };
}

type Output =
  | { readonly type: "message"; readonly id: string; readonly content: readonly [{ readonly text: string }] }
  | { readonly type: "function_call"; readonly id: string; readonly arguments: string }
  | { readonly type: "custom_tool_call"; readonly id: string; readonly input: string };

function outputOf(turn: Turn): readonly Output[] {
  const message = {
    type: "message" as const,
    id: `msg_${turn.id}`,
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: turn.say, annotations: [] }] as const,
  };
  const calls = turn.calls.map((call, index): Output => {
    const named = {
      call_id: `call_${turn.id}_${index}`,
      name: call.name,
      ...(call.namespace === null ? {} : { namespace: call.namespace }),
      status: "completed",
    };
    return typeof call.input === "string"
      ? { type: "custom_tool_call", id: `ctc_${turn.id}_${index}`, ...named, input: call.input }
      : {
          type: "function_call",
          id: `fc_${turn.id}_${index}`,
          ...named,
          arguments: JSON.stringify(call.input),
        };
  });
  return turn.say === "" ? calls : [message, ...calls];
}

function itemEvents(item: Output, output_index: number): readonly Event[] {
  const at = { item_id: item.id, output_index };
  const added = (empty: Json) =>
    event("response.output_item.added", { output_index, item: { ...item, status: "in_progress", ...empty } });
  const done = event("response.output_item.done", { output_index, item });
  switch (item.type) {
    case "message": {
      const part = { ...at, content_index: 0 };
      const said = item.content[0].text;
      const empty = { type: "output_text", text: "", annotations: [] };
      return [
        added({ content: [] }),
        event("response.content_part.added", { ...part, part: empty }),
        ...pieces(said).map((delta) => event("response.output_text.delta", { ...part, delta })),
        event("response.output_text.done", { ...part, text: said }),
        event("response.content_part.done", { ...part, part: item.content[0] }),
        done,
      ];
    }
    case "function_call":
      return [
        added({ arguments: "" }),
        ...pieces(item.arguments).map((delta) =>
          event("response.function_call_arguments.delta", { ...at, delta }),
        ),
        event("response.function_call_arguments.done", { ...at, arguments: item.arguments }),
        done,
      ];
    case "custom_tool_call":
      return [
        added({ input: "" }),
        ...pieces(item.input).map((delta) =>
          event("response.custom_tool_call_input.delta", { ...at, delta }),
        ),
        event("response.custom_tool_call_input.done", { ...at, input: item.input }),
        done,
      ];
  }
}

type Event = { readonly event: string; readonly data: Json };

function event(type: string, rest: Json): Event {
  return { event: type, data: { type, ...rest } };
}
