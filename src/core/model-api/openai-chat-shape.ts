import { BYTES, DATA_URL, free, MODEL_NAME, OFF, oneOf, onlyObject, type Shape } from "./body-shape.ts";

/** Images and files as bytes; an address would be fetched, an id taken from the account's storage. */
const CONTENT: Shape = {
  items: {
    keys: {
      type: oneOf("text", "refusal", "thinking", "image_url", "input_audio", "file"),
      image_url: { ...DATA_URL, keys: { url: DATA_URL, detail: null } },
      file: onlyObject({ file_data: BYTES, filename: null }),
      input_audio: onlyObject({ data: BYTES, format: null }),
      ...free("text", "refusal", "thinking", "cache_control"),
    },
  },
};

const FUNCTION: Shape = {
  keys: free("name", "description", "parameters", "strict", "arguments"),
};

const CALLS: Shape = {
  items: {
    keys: {
      type: oneOf("function", "custom"),
      function: FUNCTION,
      ...free("id", "index", "custom", "extra_content"),
    },
  },
};

const TOOLS: Shape = {
  items: {
    keys: { type: oneOf("function", "custom"), function: FUNCTION, ...free("custom", "cache_control") },
  },
};

export const OPENAI_CHAT: Shape = {
  keys: {
    model: MODEL_NAME,
    messages: {
      items: {
        keys: {
          content: CONTENT,
          tool_calls: CALLS,
          ...free(
            "role",
            "name",
            "tool_call_id",
            "refusal",
            "reasoning",
            "reasoning_content",
            "reasoning_details",
          ),
          ...free("prefix", "cache_control"),
        },
      },
    },
    tools: TOOLS,
    tool_choice: {
      keys: { type: oneOf("function", "custom"), function: { keys: free("name") }, custom: null },
    },
    store: OFF,
    ...free(
      "stream",
      "stream_options",
      "temperature",
      "top_p",
      "top_k",
      "max_tokens",
      "max_completion_tokens",
    ),
    ...free("stop", "n", "seed", "presence_penalty", "frequency_penalty", "logit_bias", "logprobs"),
    ...free("top_logprobs", "response_format", "parallel_tool_calls", "user", "metadata", "service_tier"),
    ...free(
      "reasoning",
      "reasoning_effort",
      "reasoning_format",
      "include_reasoning",
      "thinking",
      "verbosity",
    ),
    ...free("prompt_cache_key", "prompt_cache_retention", "safety_identifier", "usage", "enable_thinking"),
    ...free("chat_template_kwargs", "random_seed", "safe_prompt", "prompt_mode"),
  },
};
