import { table } from "../table.ts";
import { BYTES, free, isNull, MODEL_NAME, oneOf, onlyObject, type Shape } from "./body-shape.ts";

/**
 * Bytes; `url` and `file` would be fetched or taken from the account's storage. Texts have a block of their own: in the place
 * of bytes a provider that speaks these words for others might take one for an address.
 */
const SOURCE = onlyObject({
  type: oneOf("base64", "content"),
  media_type: null,
  data: BYTES,
  get content(): Shape {
    return BLOCKS;
  },
});

/** A thought that the provider closed. OpenRouter writes its own name before it. */
const SEALED: Shape = {
  text: (value) => /^(?:openrouter\.reasoning:)?[\w+/=-]*$/.test(value),
  plain: isNull,
};

const BLOCK: Shape = {
  keys: {
    type: oneOf(
      "text",
      "image",
      "document",
      "search_result",
      "thinking",
      "redacted_thinking",
      "tool_use",
      "tool_result",
      "tool_reference",
    ),
    source: SOURCE,
    data: SEALED,
    get content(): Shape {
      return BLOCKS;
    },
    ...free("text", "thinking", "signature", "id", "name", "input", "tool_use_id", "is_error"),
    ...free("cache_control", "citations", "title", "context", "tool_name"),
  },
};

const BLOCKS: Shape = { items: BLOCK };

/** Tools that the CLI runs itself. All that the provider runs have a type of their own. */
const TOOLS: Shape = {
  items: {
    keys: {
      type: oneOf("custom"),
      ...free("name", "description", "input_schema", "cache_control", "strict", "input_examples"),
      ...free("defer_loading", "eager_input_streaming"),
    },
  },
};

const COMMON = table<Shape>({
  model: MODEL_NAME,
  messages: { items: { keys: { role: null, output_config: null, content: BLOCKS } } },
  system: BLOCKS,
  tools: TOOLS,
  ...free("tool_choice", "thinking", "output_config", "output_format", "context_management", "cache_control"),
});

export const ANTHROPIC_MESSAGE: Shape = {
  keys: {
    ...COMMON,
    ...free("max_tokens", "stream", "metadata", "temperature", "top_p", "top_k", "stop_sequences"),
    ...free("service_tier", "speed"),
  },
};

export const ANTHROPIC_TOKENS: Shape = { keys: COMMON };
