import { table } from "../table.ts";
import { BYTES, free, onlyObject, type Shape } from "./body-shape.ts";

const INLINE = onlyObject({
  data: BYTES,
  ...free("mimeType", "mime_type", "displayName", "display_name"),
});

/** `fileData` names an address or a stored file; code that the provider ran comes only from its own tools. */
const PART: Shape = {
  keys: {
    ...free("text", "thought", "thoughtSignature", "thought_signature"),
    ...free("functionCall", "function_call", "videoMetadata", "mediaResolution"),
    inlineData: INLINE,
    inline_data: INLINE,
    get functionResponse(): Shape {
      return RESPONSE;
    },
    get function_response(): Shape {
      return RESPONSE;
    },
  },
};

const RESPONSE: Shape = {
  keys: { ...free("id", "name", "response", "willContinue", "scheduling"), parts: { items: PART } },
};

const CONTENT: Shape = { keys: { role: null, parts: { items: PART } } };

/** Functions that the CLI runs itself; searching, fetching and running code are keys of their own. */
const FUNCTIONS = free("functionDeclarations", "function_declarations");
const TOOLS: Shape = { keys: FUNCTIONS, items: { keys: FUNCTIONS } };

const REQUEST = table<Shape>({
  contents: { items: CONTENT },
  systemInstruction: CONTENT,
  system_instruction: CONTENT,
  tools: TOOLS,
  ...free(
    "toolConfig",
    "tool_config",
    "generationConfig",
    "generation_config",
    "safetySettings",
    "safety_settings",
  ),
});

export const GEMINI_CONTENT: Shape = { keys: REQUEST };

export const GEMINI_TOKENS: Shape = {
  keys: { contents: { items: CONTENT }, generateContentRequest: { keys: { ...REQUEST, model: null } } },
};
