import { always, BYTES, DATA_URL, free, isNull, MODEL_NAME, OFF, oneOf, type Shape } from "./body-shape.ts";

const CONTENT: Shape = {
  items: {
    keys: {
      type: oneOf(
        "input_text",
        "output_text",
        "text",
        "summary_text",
        "reasoning_text",
        "refusal",
        "input_image",
        "input_file",
        "encrypted_content",
      ),
      image_url: DATA_URL,
      file_data: BYTES,
      ...free("text", "refusal", "annotations", "logprobs", "detail", "filename", "encrypted_content"),
    },
  },
};

/**
 * What the CLI itself said, did or kept. Calls of the provider's own tools and references to what it stored are not among it;
 * an item that says neither what it is nor who said what is such a reference, by its `id` alone.
 */
const ITEMS: Shape = {
  items: {
    isWhole: (keys) => keys.has("type") || (keys.has("role") && keys.has("content")),
    keys: {
      type: always(
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
        "custom_tool_call",
        "custom_tool_call_output",
        "local_shell_call",
        "local_shell_call_output",
        "compaction",
        "compaction_summary",
      ),
      content: CONTENT,
      summary: CONTENT,
      output: CONTENT,
      ...free(
        "id",
        "role",
        "status",
        "phase",
        "call_id",
        "name",
        "namespace",
        "arguments",
        "input",
        "action",
      ),
      ...free("encrypted_content", "metadata"),
    },
  },
};

/** Functions and free-form tools that the CLI runs itself, and groups of them. */
const TOOLS: Shape = {
  items: {
    keys: {
      type: oneOf("function", "custom", "namespace", "local_shell"),
      ...free("name", "description", "parameters", "strict", "format", "defer_loading", "output_schema"),
      get tools(): Shape {
        return TOOLS;
      },
    },
  },
};

const CHOICE: Shape = {
  keys: {
    type: oneOf("function", "custom", "allowed_tools", "local_shell"),
    tools: { items: { keys: { type: oneOf("function", "custom", "namespace"), name: null } } },
    ...free("name", "mode"),
  },
};

export const OPENAI_RESPONSE: Shape = {
  keys: {
    model: MODEL_NAME,
    input: ITEMS,
    tools: TOOLS,
    tool_choice: CHOICE,
    store: OFF,
    background: OFF,
    previous_response_id: { text: () => false, plain: isNull },
    ...free("instructions", "stream", "stream_options", "parallel_tool_calls", "max_tool_calls", "include"),
    ...free("reasoning", "text", "max_output_tokens", "temperature", "top_p", "top_logprobs", "truncation"),
    ...free("prompt_cache_key", "prompt_cache_retention", "service_tier", "metadata", "client_metadata"),
    ...free("safety_identifier", "user", "context_management"),
  },
};
