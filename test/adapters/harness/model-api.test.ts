import { describe, expect, it } from "vitest";
import { findClaudeEndpoint } from "../../../src/adapters/harness/claude/endpoint.ts";
import { findCodexEndpoint } from "../../../src/adapters/harness/codex/endpoint.ts";
import { findGeminiEndpoint } from "../../../src/adapters/harness/gemini/endpoint.ts";
import { findOpencodeEndpoint } from "../../../src/adapters/harness/opencode/endpoint.ts";
import { PROVIDERS } from "../../../src/adapters/harness/opencode/providers.ts";

const ENV = {
  ANTHROPIC_API_KEY: "k",
  OPENAI_API_KEY: "k",
  GEMINI_API_KEY: "k",
  LOOM_OPENCODE_URL: "http://127.0.0.1:1/v1",
  ...Object.fromEntries(Object.values(PROVIDERS).map(({ keys }) => [keys[0], "k"])),
};

const ENDPOINTS = [
  ["claude", findClaudeEndpoint(ENV)],
  ["codex", findCodexEndpoint(ENV)],
  ["gemini", findGeminiEndpoint(ENV)],
  ...[...Object.keys(PROVIDERS), "own"].map(
    (provider) => [`opencode with ${provider}`, findOpencodeEndpoint(ENV, `${provider}/model`)] as const,
  ),
] as const;

describe("what an agent may ask of its model", () => {
  it.each(ENDPOINTS)("is a short list of examined requests: %s", (_name, endpoint) => {
    const api = endpoint.kind === "endpoint" ? endpoint.model.api : [];
    expect(api.length).toBeGreaterThan(0);
    for (const { method, body } of api) expect([method, body?.keys]).toEqual(["POST", expect.any(Object)]);
  });

  it("is this", () => {
    const lines = ENDPOINTS.flatMap(([name, endpoint]) =>
      endpoint.kind === "endpoint"
        ? [`${name}: ${endpoint.model.api.map(({ path }) => path.source).join(" ")}`]
        : [],
    );
    expect(lines).toMatchInlineSnapshot(`
      [
        "claude: ^\\/v1\\/messages$ ^\\/v1\\/messages\\/count_tokens$",
        "codex: ^\\/responses$",
        "gemini: ^\\/v1beta\\/models\\/[A-Za-z0-9][A-Za-z0-9._-]{0,199}:(?:streamG|g)enerateContent$ ^\\/v1beta\\/models\\/[A-Za-z0-9][A-Za-z0-9._-]{0,199}:countTokens$",
        "opencode with anthropic: ^\\/messages$ ^\\/messages\\/count_tokens$",
        "opencode with deepseek: ^\\/chat\\/completions$",
        "opencode with google: ^\\/models\\/[A-Za-z0-9][A-Za-z0-9._-]{0,199}:(?:streamG|g)enerateContent$ ^\\/models\\/[A-Za-z0-9][A-Za-z0-9._-]{0,199}:countTokens$",
        "opencode with groq: ^\\/chat\\/completions$",
        "opencode with mistral: ^\\/chat\\/completions$",
        "opencode with openai: ^\\/responses$ ^\\/chat\\/completions$",
        "opencode with openrouter: ^\\/chat\\/completions$",
        "opencode with xai: ^\\/responses$ ^\\/chat\\/completions$",
        "opencode with own: ^\\/chat\\/completions$",
      ]
    `);
  });
});
