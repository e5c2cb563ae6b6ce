import type { Json } from "./json.ts";
import type { ProtocolId } from "./seen-request.ts";
import type { ModelServer } from "./start-model-server.ts";

/** A small client for each protocol, to ask the model server without an agent CLI. */
export const PROTOCOLS = [
  "anthropic",
  "responses",
  "chat",
  "gemini",
] as const satisfies readonly ProtocolId[];

export type Question = {
  readonly text?: string;
  /** How many turns the model has had; each has called one tool. */
  readonly turns?: number;
  /** What those tools gave. */
  readonly result?: string;
  /** Other tools than those that the protocol's CLI offers. */
  readonly tools?: readonly string[];
  readonly model?: string;
  readonly key?: string;
  readonly stream?: boolean;
};

export type Answer = {
  readonly protocol: ProtocolId;
  readonly status: number;
  readonly type: string;
  readonly headers: Headers;
  /** All that came. */
  readonly text: string;
  /** The data of each whole event. */
  readonly frames: readonly string[];
  /** The connection was lost before the end. */
  readonly broken: boolean;
};

const TOOLS: Readonly<Record<ProtocolId, readonly string[]>> = {
  anthropic: ["Bash", "Write", "Read"],
  responses: ["exec_command", "apply_patch"],
  chat: ["bash", "write", "read"],
  gemini: ["run_shell_command", "write_file", "read_file"],
};

export async function ask(
  server: ModelServer,
  protocol: ProtocolId,
  question: Question = {},
): Promise<Answer> {
  const { model = "loom-model", key = "any", stream = true } = question;
  const action = stream ? "streamGenerateContent?alt=sse" : "generateContent";
  const path = {
    anthropic: "/v1/messages",
    responses: "/v1/responses",
    chat: "/v1/chat/completions",
    gemini: `/v1beta/models/${model}:${action}`,
  }[protocol];
  const response = await fetch(`${server.url}${path}`, {
    method: "POST",
    headers: keyHeader(protocol, key),
    body: JSON.stringify({ model, stream, ...bodyOf(protocol, question) }),
  });
  const { received, broken } = await receive(response);
  const frames = received
    .split("\n\n")
    .slice(0, -1)
    .map((event) => /^data: (.*)$/m.exec(event)?.[1] ?? "");
  return {
    protocol,
    status: response.status,
    type: response.headers.get("content-type") ?? "",
    headers: response.headers,
    text: received,
    frames,
    broken,
  };
}

export function askClaude(server: ModelServer, question: Question = {}): Promise<Answer> {
  return ask(server, "anthropic", question);
}

export function askChat(server: ModelServer, question: Question = {}): Promise<Answer> {
  return ask(server, "chat", question);
}

async function receive(response: Response): Promise<{ received: string; broken: boolean }> {
  let received = "";
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) received += decoder.decode(chunk, { stream: true });
    return { received, broken: false };
  } catch {
    return { received, broken: true };
  }
}

function keyHeader(protocol: ProtocolId, key: string): Record<string, string> {
  switch (protocol) {
    case "anthropic":
      return { "x-api-key": key, "anthropic-version": "2023-06-01" };
    case "gemini":
      return { "x-goog-api-key": key };
    default:
      return { authorization: `Bearer ${key}` };
  }
}

function bodyOf(protocol: ProtocolId, question: Question): Json {
  const { text: prompt = "Do it.", turns = 0, tools = TOOLS[protocol] } = question;
  const system = "You are an agent.";
  const past = Array.from({ length: turns }, (_, index) => ({
    id: `c${index}`,
    result: question.result ?? `result ${index + 1}`,
  }));
  switch (protocol) {
    case "anthropic":
      return {
        system: [{ type: "text", text: system }],
        tools: tools.map((name) => ({ name, input_schema: {} })),
        messages: [
          { role: "user", content: prompt },
          ...past.flatMap(({ id, result }) => [
            { role: "assistant", content: [{ type: "tool_use", id, name: "Bash", input: {} }] },
            { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: result }] },
          ]),
        ],
      };
    case "responses":
      return {
        instructions: system,
        tools: tools.map((name) => ({ type: name === "apply_patch" ? "custom" : "function", name })),
        input: [
          { type: "message", role: "user", content: [{ type: "input_text", text: prompt }] },
          ...past.flatMap(({ id, result }) => [
            { type: "reasoning", summary: [] },
            { type: "function_call", call_id: id, name: "exec_command", arguments: "{}" },
            { type: "function_call_output", call_id: id, output: result },
          ]),
        ],
      };
    case "chat":
      return {
        tools: tools.map((name) => ({ type: "function", function: { name } })),
        messages: [
          { role: "system", content: system },
          { role: "user", content: prompt },
          ...past.flatMap(({ id, result }) => [
            {
              role: "assistant",
              content: null,
              tool_calls: [{ id, function: { name: "bash", arguments: "{}" } }],
            },
            { role: "tool", tool_call_id: id, content: result },
          ]),
        ],
      };
    case "gemini":
      return {
        systemInstruction: { parts: [{ text: system }] },
        tools: [{ functionDeclarations: tools.map((name) => ({ name })) }],
        contents: [
          { role: "user", parts: [{ text: prompt }] },
          ...past.flatMap(({ id, result }) => [
            { role: "model", parts: [{ functionCall: { id, name: "run_shell_command", args: {} } }] },
            {
              role: "user",
              parts: [{ functionResponse: { id, name: "run_shell_command", response: { output: result } } }],
            },
          ]),
        ],
      };
  }
}
