import { type Json, list, number, object, text } from "./json.ts";
import { type Frame, type Item, type Protocol, pieces, type Turn } from "./protocol.ts";
import { parametersOf } from "./seen-request.ts";
import type { StepError } from "./step.ts";

/** The protocol of Gemini's API. The model's name and the wish for a stream are in the path. */
export const gemini: Protocol = {
  id: "gemini",
  read: (body, path) => ({
    model: /\/models\/([^/:?]+)/.exec(path)?.[1] ?? null,
    stream: path.includes(":streamGenerateContent"),
    maxTokens: number(object(body.generationConfig).maxOutputTokens),
    temperature: number(object(body.generationConfig).temperature),
    items: [
      { by: "system", text: textOfParts(object(body.systemInstruction)) },
      ...list(body.contents).flatMap((content) => readContent(content)),
    ],
    tools: list(body.tools)
      .flatMap((tool) => list(tool.functionDeclarations))
      .map((tool) => ({
        name: text(tool.name),
        namespace: null,
        kind: "function",
        parameters: parametersOf(object(tool.parametersJsonSchema ?? tool.parameters)),
      })),
  }),
  whole: (turn) => answer(turn, partsOf(turn, [turn.say]), true),
  frames: (turn) => {
    const parts = partsOf(turn, pieces(turn.say));
    return parts.map((part, index): Frame => ({ data: answer(turn, [part], index === parts.length - 1) }));
  },
  failure: (error) => {
    const { status, message, details } = told(error);
    return {
      status: error.status,
      body: { error: { code: error.status, message, status, ...(details.length > 0 ? { details } : {}) } },
    };
  },
  failureFrame: (_turn, failure) => ({ data: failure.body }),
  count: (tokens) => ({ totalTokens: tokens }),
};

function textOfParts(content: Json): string {
  return list(content.parts)
    .map((part) => text(part.text))
    .filter((part) => part !== "")
    .join("\n");
}

function readContent(content: Json): readonly Item[] {
  const said = textOfParts(content);
  if (content.role === "model") return [{ by: "assistant", text: said }];
  const results = list(content.parts).flatMap((part) => {
    const result = object(part.functionResponse);
    const response = object(result.response);
    if (typeof result.name !== "string") return [];
    const failed = typeof response.error === "string";
    const told = failed ? text(response.error) : text(response.output);
    return [{ by: "tool", id: text(result.id), name: result.name, text: told, failed } as const];
  });
  return said === "" ? results : [...results, { by: "user", text: said }];
}

function partsOf(turn: Turn, said: readonly string[]): readonly Json[] {
  const calls = turn.calls.map((call, index) => ({
    functionCall: {
      id: `call_${turn.id}_${index}`,
      name: call.name,
      args: typeof call.input === "string" ? { input: call.input } : call.input,
    },
    // Newer models sign the first call of a turn, and the CLI sends it back.
    ...(index === 0 ? { thoughtSignature: "bG9vbQ==" } : {}),
  }));
  const parts = [...said.filter((part) => part !== "").map((part) => ({ text: part })), ...calls];
  return parts.length > 0 ? parts : [{ text: "" }];
}

function answer(turn: Turn, parts: readonly Json[], last: boolean): Json {
  const { input, output, cached } = turn.usage;
  return {
    candidates: [{ content: { role: "model", parts }, index: 0, ...(last ? { finishReason: "STOP" } : {}) }],
    usageMetadata: {
      promptTokenCount: input,
      candidatesTokenCount: output,
      totalTokenCount: input + output,
      cachedContentTokenCount: cached,
    },
    modelVersion: turn.model,
    responseId: `resp_${turn.id}`,
  };
}

const KNOWN: Readonly<Record<number, readonly [status: string, message: string]>> = {
  400: ["INVALID_ARGUMENT", "Request contains an invalid argument."],
  401: [
    "UNAUTHENTICATED",
    "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.",
  ],
  403: ["PERMISSION_DENIED", "The caller does not have permission"],
  404: ["NOT_FOUND", "The model is not found for API version v1beta."],
  429: ["RESOURCE_EXHAUSTED", "You exceeded your current quota, please check your plan and billing details."],
  500: ["INTERNAL", "An internal error has occurred. Please retry."],
  503: ["UNAVAILABLE", "The model is overloaded. Please try again later."],
};

type Told = { readonly status: string; readonly message: string; readonly details: readonly Json[] };

function told(error: StepError): Told {
  const [status, message] = KNOWN[error.status] ?? ["UNKNOWN", "Something went wrong."];
  const wait = error.retryAfter;
  switch (error.type) {
    case "context":
      return {
        status: "INVALID_ARGUMENT",
        message:
          error.message ??
          "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        details: [],
      };
    case "quota":
      return {
        status,
        message: error.message ?? message,
        details: [violation("PerDay"), ...retryInfo(wait)],
      };
    default:
      return {
        status: error.type ?? status,
        message: error.message ?? (wait === undefined ? message : `${message} Please retry in ${wait}s.`),
        details: error.status === 429 ? [violation("PerMinute"), ...retryInfo(wait)] : retryInfo(wait),
      };
  }
}

/** By the period in this name the CLI tells a limit that passes from one that does not. */
function violation(period: "PerMinute" | "PerDay"): Json {
  return {
    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
    violations: [
      {
        quotaMetric: "generativelanguage.googleapis.com/generate_content_free_tier_requests",
        quotaId: `GenerateRequests${period}PerProjectPerModel-FreeTier`,
      },
    ],
  };
}

function retryInfo(seconds: number | undefined): readonly Json[] {
  if (seconds === undefined) return [];
  return [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: `${seconds}s` }];
}
