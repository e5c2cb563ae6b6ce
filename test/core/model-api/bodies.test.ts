import { describe, expect, it } from "vitest";
import { examineJson } from "../../../src/core/model-api/examine-json.ts";
import {
  anthropicApi,
  chatApi,
  geminiApi,
  type ModelApi,
  responsesApi,
} from "../../../src/core/model-api/model-api.ts";

function refusedIn(api: ModelApi, body: unknown): string | null {
  const examiner = examineJson(api[0]?.body ?? {});
  const fault = examiner.take(JSON.stringify(body)) ?? examiner.end();
  return fault && ("at" in fault ? fault.at : fault.kind);
}

const PIXEL = "iVBORw0KGgo=";

describe("a request in Anthropic's words", () => {
  const api = anthropicApi("/v1");
  const message = (content: unknown) => ({ model: "claude-opus-4-6", messages: [{ role: "user", content }] });

  it.each([
    message("hello"),
    message([{ type: "text", text: "hello", cache_control: { type: "ephemeral" } }]),
    message([{ type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } }]),
    message([
      {
        type: "tool_result",
        tool_use_id: "t",
        is_error: false,
        content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } }],
      },
    ]),
    message([
      {
        type: "tool_use",
        id: "t",
        name: "x",
        input: { type: "url", url: "https://a.example", mcp_servers: [] },
      },
    ]),
    message([{ type: "thinking", thinking: "…", signature: "s" }]),
    message([
      { type: "redacted_thinking", data: PIXEL },
      { type: "redacted_thinking", data: `openrouter.reasoning:${PIXEL}` },
    ]),
    {
      ...message("x"),
      max_tokens: 5,
      stream: true,
      system: [{ type: "text", text: "x" }],
      tools: [
        {
          name: "Bash",
          description: "x",
          input_schema: { type: "object", properties: { type: { const: "mcp" } } },
        },
      ],
      thinking: { type: "adaptive" },
      context_management: { edits: [] },
      output_config: { effort: "high" },
      metadata: { user_id: "x" },
    },
  ])("is sent as an agent writes it (%#)", (body) => {
    expect(refusedIn(api, body)).toBeNull();
  });

  it.each([
    ["mcp_servers", { ...message("x"), mcp_servers: [{ type: "url", url: "https://a.example" }] }],
    ["container", { ...message("x"), container: { skills: [] } }],
    ["tools[].type", { ...message("x"), tools: [{ type: "web_search_20250305", name: "web_search" }] }],
    ["tools[].type", { ...message("x"), tools: [{ type: "web_fetch_20250910", name: "web_fetch" }] }],
    ["tools[].type", { ...message("x"), tools: [{ type: "code_execution_20250825", name: "x" }] }],
    ["tools[].type", { ...message("x"), tools: [{ type: "computer_20250124", name: "x" }] }],
    ["tools[].type", { ...message("x"), tools: [{ type: "mcp_toolset", mcp_server_name: "x" }] }],
    [
      "tools[].allowed_callers",
      { ...message("x"), tools: [{ name: "x", allowed_callers: ["code_execution_20250825"] }] },
    ],
    [
      "messages[].content[].source.type",
      message([{ type: "image", source: { type: "url", url: "https://a.example" } }]),
    ],
    ["messages[].content[].source.url", message([{ type: "image", source: { url: "https://a.example" } }])],
    [
      "messages[].content[].source.type",
      message([{ type: "document", source: { type: "file", file_id: "f" } }]),
    ],
    ["messages[].content[].type", message([{ type: "container_upload", file_id: "f" }])],
    [
      "messages[].content[].content[].source.type",
      message([{ type: "tool_result", content: [{ type: "document", source: { type: "url" } }] }]),
    ],
    [
      "messages[].content[].source.content[].source.type",
      message([
        {
          type: "document",
          source: { type: "content", content: [{ type: "image", source: { type: "url" } }] },
        },
      ]),
    ],
    ["messages[].content[].type", message([{ type: "server_tool_use", name: "web_search" }])],
    ["system[].source.type", { ...message("x"), system: [{ type: "image", source: { type: "url" } }] }],
    ["messages", { ...message("x"), messages: { role: "user" } }],
    [
      "messages[].content[].source.data",
      message([{ type: "image", source: { type: "base64", data: "https://a.example/?leak" } }]),
    ],
    [
      "messages[].content[].source.type",
      message([{ type: "document", source: { type: "text", data: "x" } }]),
    ],
    ["messages[].content[].data", message([{ type: "redacted_thinking", data: "https://a.example" }])],
  ])("is refused at %s", (at, body) => {
    expect(refusedIn(api, body)).toBe(at);
  });
});

describe("a request in the words of OpenAI's responses", () => {
  const api = responsesApi("");
  const input = (...items: unknown[]) => ({ model: "gpt-5.5", input: items, store: false });

  it.each([
    input({ type: "message", role: "user", content: [{ type: "input_text", text: "x" }] }),
    input({
      role: "user",
      content: [{ type: "input_image", image_url: `data:image/png;base64,${PIXEL}`, detail: "auto" }],
    }),
    input({ role: "user", content: [{ type: "input_file", filename: "a.pdf", file_data: PIXEL }] }),
    input(
      {
        type: "reasoning",
        id: "r",
        summary: [{ type: "summary_text", text: "x" }],
        content: null,
        encrypted_content: "x",
      },
      { type: "function_call", call_id: "c", name: "x", arguments: '{"type":"mcp"}' },
      { type: "function_call_output", call_id: "c", output: "x" },
      { type: "custom_tool_call", call_id: "c", name: "apply_patch", input: "x", status: "completed" },
      { type: "custom_tool_call_output", call_id: "c", output: [{ type: "input_text", text: "x" }] },
    ),
    {
      ...input(),
      stream: true,
      tools: [
        { type: "function", name: "x", parameters: { type: "object" }, strict: false },
        { type: "custom", name: "x", format: { type: "grammar", syntax: "lark", definition: "x" } },
        { type: "namespace", name: "x", tools: [{ type: "function", name: "x" }] },
      ],
      tool_choice: "auto",
      include: ["reasoning.encrypted_content"],
      reasoning: { effort: "high" },
      client_metadata: {},
      previous_response_id: null,
    },
  ])("is sent as an agent writes it (%#)", (body) => {
    expect(refusedIn(api, body)).toBeNull();
  });

  it.each<[string, unknown]>([
    ...[
      "web_search",
      "web_search_preview",
      "mcp",
      "file_search",
      "code_interpreter",
      "image_generation",
      "computer_use_preview",
      "shell",
      "tool_search",
    ].map((type): [string, unknown] => ["tools[].type", { ...input(), tools: [{ type }] }]),
    ["tools[].server_url", { ...input(), tools: [{ type: "function", server_url: "https://a.example" }] }],
    ["tools[].tools[].type", { ...input(), tools: [{ type: "namespace", tools: [{ type: "mcp" }] }] }],
    ["tool_choice.type", { ...input(), tool_choice: { type: "mcp", server_label: "x" } }],
    ["store", { ...input(), store: true }],
    ["background", { ...input(), background: true }],
    ["previous_response_id", { ...input(), previous_response_id: "resp_1" }],
    ["conversation", { ...input(), conversation: "conv_1" }],
    ["prompt", { ...input(), prompt: { id: "pmpt_1" } }],
    ["input[].type", input({ type: "item_reference", id: "x" })],
    ["input[].type", input({ type: "mcp_approval_response", approve: true })],
    ["input[].type", input({ type: null, id: "rs_abc" })],
    ["input[]", input({ id: "msg_abc" })],
    ["input[]", input({ role: "user", id: "msg_abc" })],
    ["input[]", input({})],
    [
      "input[].content[].image_url",
      input({ role: "user", content: [{ type: "input_image", image_url: "https://a.example" }] }),
    ],
    [
      "input[].content[].file_url",
      input({ role: "user", content: [{ type: "input_file", file_url: "https://a.example" }] }),
    ],
    ...["https://a.example/?leak", " https://a.example", "//a.example", "HTTP:a.example", "gs://a/b"].map(
      (file_data): [string, unknown] => [
        "input[].content[].file_data",
        input({ role: "user", content: [{ type: "input_file", filename: "a.pdf", file_data }] }),
      ],
    ),
    ["input[].content[].file_id", input({ role: "user", content: [{ type: "input_file", file_id: "f" }] })],
    [
      "input[].output[].image_url",
      input({
        type: "function_call_output",
        output: [{ type: "input_image", image_url: "http://a.example" }],
      }),
    ],
    ["model", { ...input(), model: "gpt-4o-search-preview" }],
    ["model", { ...input(), model: "o3-deep-research" }],
  ])("is refused at %s", (at, body) => {
    expect(refusedIn(api, body)).toBe(at);
  });
});

describe("a request in the words of OpenAI's chat", () => {
  const api = chatApi("");
  const chat = (content: unknown) => ({ model: "loom-model", messages: [{ role: "user", content }] });

  it.each([
    chat("x"),
    chat([{ type: "text", text: "x" }]),
    chat([{ type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } }]),
    chat([{ type: "file", file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${PIXEL}` } }]),
    chat([{ type: "input_audio", input_audio: { data: PIXEL, format: "wav" } }]),
    {
      ...chat("x"),
      messages: [
        {
          role: "assistant",
          content: null,
          tool_calls: [{ id: "c", type: "function", function: { name: "x", arguments: "{}" } }],
        },
        { role: "tool", tool_call_id: "c", content: "x" },
      ],
      tools: [
        {
          type: "function",
          function: { name: "x", description: "x", parameters: { properties: { plugins: {} } } },
        },
      ],
      tool_choice: "auto",
      stream: true,
      stream_options: { include_usage: true },
      reasoning_effort: "high",
      usage: { include: true },
    },
    { ...chat("x"), model: "acme/research-model" },
  ])("is sent as an agent writes it (%#)", (body) => {
    expect(refusedIn(api, body)).toBeNull();
  });

  it.each([
    ["web_search_options", { ...chat("x"), web_search_options: {} }],
    ["search_parameters", { ...chat("x"), search_parameters: { mode: "on" } }],
    ["plugins", { ...chat("x"), plugins: [{ id: "web" }] }],
    ["models", { ...chat("x"), models: ["a/b"] }],
    ["provider", { ...chat("x"), provider: { order: ["x"] } }],
    ["model", { ...chat("x"), model: "openai/gpt-4o:online" }],
    ["model", { ...chat("x"), model: "groq/compound" }],
    ["model", { ...chat("x"), model: "perplexity/sonar" }],
    ["tools[].type", { ...chat("x"), tools: [{ type: "browser_search" }] }],
    ["tools[].type", { ...chat("x"), tools: [{ type: "openrouter:web_search" }] }],
    ["messages[].content[].image_url", chat([{ type: "image_url", image_url: "https://a.example/x" }])],
    [
      "messages[].content[].image_url.url",
      chat([{ type: "image_url", image_url: { url: "https://a.example/x" } }]),
    ],
    ["messages[].content[].type", chat([{ type: "document_url", document_url: "https://a.example" }])],
    ["messages[].content[].type", chat([{ type: "video_url", video_url: { url: "https://a.example" } }])],
    [
      "messages[].content[].file.file_data",
      chat([{ type: "file", file: { filename: "a.pdf", file_data: "https://a.example/?leak" } }]),
    ],
    [
      "messages[].content[].file.file_data",
      chat([{ type: "file", file: { file_data: `\n${"A".repeat(600)}https://a.example` } }]),
    ],
    [
      "messages[].content[].input_audio.data",
      chat([{ type: "input_audio", input_audio: { data: "https://a.example", format: "wav" } }]),
    ],
    ["messages[].content[].input_audio", chat([{ type: "input_audio", input_audio: ["https://a.example"] }])],
    ["messages[].content[].file.file_id", chat([{ type: "file", file: { file_id: "f" } }])],
    ["store", { ...chat("x"), store: true }],
  ])("is refused at %s", (at, body) => {
    expect(refusedIn(api, body)).toBe(at);
  });
});

describe("a request in Gemini's words", () => {
  const api = geminiApi("/v1beta");
  const contents = (...parts: unknown[]) => ({ contents: [{ role: "user", parts }] });

  it.each([
    contents({ text: "x" }),
    contents({ inlineData: { mimeType: "image/png", data: PIXEL } }),
    contents(
      { functionCall: { id: "c", name: "x", args: { fileData: {} } }, thoughtSignature: "s" },
      { functionResponse: { id: "c", name: "x", response: { output: { tools: [] } } } },
    ),
    {
      ...contents({ text: "x" }),
      systemInstruction: { role: "user", parts: [{ text: "x" }] },
      tools: [
        { functionDeclarations: [{ name: "x", parametersJsonSchema: { properties: { googleSearch: {} } } }] },
      ],
      generationConfig: { temperature: 1, thinkingConfig: { thinkingBudget: 5 } },
    },
  ])("is sent as an agent writes it (%#)", (body) => {
    expect(refusedIn(api, body)).toBeNull();
  });

  it.each<[string, unknown]>([
    ...[
      "googleSearch",
      "google_search",
      "googleSearchRetrieval",
      "urlContext",
      "url_context",
      "codeExecution",
      "code_execution",
      "computerUse",
      "fileSearch",
      "mcpServers",
      "googleMaps",
    ].map(
      (name): [string, unknown] => [`tools[].${name}`, { ...contents(), tools: [{ [name]: {} }] }] as const,
    ),
    ["tools.googleSearch", { ...contents(), tools: { googleSearch: {} } }],
    [
      "contents[].parts[].inlineData.data",
      contents({ inlineData: { mimeType: "image/png", data: "https://a.example" } }),
    ],
    ["contents[].parts[].inline_data.data", contents({ inline_data: { data: "gs://a/b" } })],
    ["contents[].parts[].inlineData.fileUri", contents({ inlineData: { fileUri: "https://a.example" } })],
    ["cachedContent", { ...contents(), cachedContent: "cachedContents/x" }],
    ["contents[].parts[].fileData", contents({ fileData: { fileUri: "https://a.example" } })],
    ["contents[].parts[].file_data", contents({ file_data: { file_uri: "https://a.example" } })],
    [
      "contents[].parts[].functionResponse.parts[].fileData",
      contents({ functionResponse: { parts: [{ fileData: {} }] } }),
    ],
    [
      "systemInstruction.parts[].fileData",
      { ...contents(), systemInstruction: { parts: [{ fileData: {} }] } },
    ],
  ])("is refused at %s", (at, body) => {
    expect(refusedIn(api, body)).toBe(at);
  });
});
