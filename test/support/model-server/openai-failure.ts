import type { Failure } from "./protocol.ts";
import type { StepError } from "./step.ts";

type Told = { readonly type: string; readonly code: string | null; readonly message: string };

const KNOWN: Readonly<Record<number, Told>> = {
  400: { type: "invalid_request_error", code: null, message: "Invalid request." },
  401: {
    type: "invalid_request_error",
    code: "invalid_api_key",
    message:
      "Incorrect API key provided. You can find your API key at https://platform.openai.com/account/api-keys.",
  },
  403: {
    type: "invalid_request_error",
    code: "unsupported_country_region_territory",
    message: "Country, region, or territory not supported",
  },
  404: {
    type: "invalid_request_error",
    code: "model_not_found",
    message: "The model does not exist or you do not have access to it.",
  },
  429: {
    type: "tokens",
    code: "rate_limit_exceeded",
    message: "Rate limit reached on tokens per min (TPM).",
  },
  500: {
    type: "server_error",
    code: null,
    message: "The server had an error while processing your request. Sorry about that!",
  },
  503: {
    type: "server_error",
    code: "server_is_overloaded",
    message: "The engine is currently overloaded, please try again later",
  },
};

const QUOTA: Told = {
  type: "insufficient_quota",
  code: "insufficient_quota",
  message: "You exceeded your current quota, please check your plan and billing details.",
};

/** The body that both protocols of OpenAI have in common; they differ in the words for a context that overflows. */
export function openaiFailure(error: StepError, overflow: string): Failure {
  const known = KNOWN[error.status] ?? { type: "server_error", code: null, message: "Something went wrong." };
  const told = named(error, known, overflow);
  const wait = error.retryAfter === undefined ? "" : ` Please try again in ${error.retryAfter}s.`;
  return {
    status: error.status,
    body: {
      error: {
        message: error.message ?? `${told.message}${wait}`,
        type: told.type,
        param: null,
        code: told.code,
      },
    },
  };
}

function named(error: StepError, known: Told, overflow: string): Told {
  switch (error.type) {
    case undefined:
      return known;
    case "context":
      return { type: "invalid_request_error", code: "context_length_exceeded", message: overflow };
    case "quota":
      return QUOTA;
    default:
      return { type: error.type, code: error.type, message: known.message };
  }
}
