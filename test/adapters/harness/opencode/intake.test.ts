import { describe, expect, it } from "vitest";
import { findOpencodeEndpoint } from "../../../../src/adapters/harness/opencode/endpoint.ts";
import { PROVIDERS } from "../../../../src/adapters/harness/opencode/providers.ts";
import { windowOf } from "../../../../src/adapters/harness/opencode/window.ts";

function withoutApi(endpoint: ReturnType<typeof findOpencodeEndpoint>): object {
  if (endpoint.kind === "missing") return endpoint;
  const { api: _requests, ...model } = endpoint.model;
  return { ...endpoint, model };
}

describe("opencode's endpoint", () => {
  it("is the one of the provider in the model's name", () => {
    const env = { ANTHROPIC_API_KEY: "a", OPENAI_API_KEY: " o ", GOOGLE_GENERATIVE_AI_API_KEY: "g" };
    const endpoints = ["anthropic/claude-sonnet-4-5", "openai/gpt-5", "google/gemini-2.5-pro"];
    const found = endpoints.map((model) => findOpencodeEndpoint(env, model));
    expect(found.map(withoutApi)).toMatchInlineSnapshot(`
      [
        {
          "keyName": "ANTHROPIC_API_KEY",
          "kind": "endpoint",
          "model": {
            "key": "a",
            "upstream": "https://api.anthropic.com/v1",
          },
        },
        {
          "keyName": "OPENAI_API_KEY",
          "kind": "endpoint",
          "model": {
            "key": "o",
            "upstream": "https://api.openai.com/v1",
          },
        },
        {
          "keyName": "GOOGLE_GENERATIVE_AI_API_KEY",
          "kind": "endpoint",
          "model": {
            "key": "g",
            "upstream": "https://generativelanguage.googleapis.com/v1beta",
          },
        },
      ]
    `);
  });

  it("knows where all of its providers are", () => {
    expect(
      Object.fromEntries(Object.entries(PROVIDERS).map(([name, { upstream }]) => [name, upstream({})])),
    ).toMatchInlineSnapshot(`
      {
        "anthropic": "https://api.anthropic.com/v1",
        "deepseek": "https://api.deepseek.com",
        "google": "https://generativelanguage.googleapis.com/v1beta",
        "groq": "https://api.groq.com/openai/v1",
        "mistral": "https://api.mistral.ai/v1",
        "openai": "https://api.openai.com/v1",
        "openrouter": "https://openrouter.ai/api/v1",
        "xai": "https://api.x.ai/v1",
      }
    `);
  });

  it("goes where the operator's usual variables say", () => {
    const env = { ANTHROPIC_API_KEY: "a", ANTHROPIC_BASE_URL: "https://models.example.org/claude/" };
    expect(findOpencodeEndpoint(env, "anthropic/claude-x")).toMatchObject({
      model: { upstream: "https://models.example.org/claude/v1" },
    });
  });

  it("leads to a server of one's own, with a key or without", () => {
    const env = { LOOM_OPENCODE_URL: "http://127.0.0.1:11434/v1/" };
    expect(withoutApi(findOpencodeEndpoint(env, "ollama/qwen3:32b"))).toMatchInlineSnapshot(`
      {
        "keyName": "LOOM_OPENCODE_KEY",
        "kind": "endpoint",
        "model": {
          "key": "none",
          "upstream": "http://127.0.0.1:11434/v1",
        },
      }
    `);
    expect(findOpencodeEndpoint({ ...env, LOOM_OPENCODE_KEY: "k" }, "own/x")).toMatchObject({
      model: { key: "k" },
    });
  });

  it("says what to do when something is missing", () => {
    const env = { LOOM_OPENCODE_KEY: "k" };
    const models = [null, "gpt-5", "openai/gpt-5", "constructor/x"];
    expect(models.map((model) => findOpencodeEndpoint(env, model))).toMatchInlineSnapshot(`
      [
        {
          "kind": "missing",
          "next": "Set LOOM_OPENCODE_MODEL=provider/model, such as anthropic/claude-sonnet-4-5.",
          "reason": "opencode has no model of its own.",
        },
        {
          "kind": "missing",
          "next": "Write it as provider/model, such as anthropic/claude-sonnet-4-5.",
          "reason": "opencode does not know whose model gpt-5 is.",
        },
        {
          "kind": "missing",
          "next": "Set OPENAI_API_KEY, or choose another provider's model with LOOM_OPENCODE_MODEL.",
          "reason": "opencode has no key for openai: OPENAI_API_KEY is not set.",
        },
        {
          "kind": "missing",
          "next": "Set LOOM_OPENCODE_URL and LOOM_OPENCODE_KEY to an address that speaks as OpenAI's does (such as https://example.org/v1), or choose one of anthropic, deepseek, google, groq, mistral, openai, openrouter, xai.",
          "reason": "Loom does not know where to find the provider constructor.",
        },
      ]
    `);
  });
});

describe("the window of a model", () => {
  it("is known by its name, or said by the operator", () => {
    const models = [
      "google/gemini-2.5-pro",
      "openrouter/anthropic/claude-sonnet-4.5",
      "openai/gpt-5",
      "own/model",
    ];
    expect(models.map((model) => windowOf({}, model))).toEqual([1_048_576, 200_000, 400_000, 128_000]);
    expect(windowOf({ LOOM_OPENCODE_WINDOW: "32000" }, "openai/gpt-5")).toBe(32_000);
    expect(windowOf({ LOOM_OPENCODE_WINDOW: "many" }, null)).toBe(128_000);
  });
});
