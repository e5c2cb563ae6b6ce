import { describe, expect, it } from "vitest";
import { findClaudeDoor } from "../../../src/adapters/harness/claude/door.ts";
import { findCodexDoor } from "../../../src/adapters/harness/codex/door.ts";
import { findGeminiDoor } from "../../../src/adapters/harness/gemini/door.ts";
import { findOpencodeDoor } from "../../../src/adapters/harness/opencode/door.ts";
import { PROVIDERS } from "../../../src/adapters/harness/opencode/providers.ts";

const ENV = {
  ANTHROPIC_API_KEY: "k",
  OPENAI_API_KEY: "k",
  GEMINI_API_KEY: "k",
  LOOM_OPENCODE_URL: "http://127.0.0.1:1/v1",
  ...Object.fromEntries(Object.values(PROVIDERS).map(({ keys }) => [keys[0], "k"])),
};

const DOORS = [
  ["claude", findClaudeDoor(ENV)],
  ["codex", findCodexDoor(ENV)],
  ["gemini", findGeminiDoor(ENV)],
  ...[...Object.keys(PROVIDERS), "own"].map(
    (provider) => [`opencode with ${provider}`, findOpencodeDoor(ENV, `${provider}/model`)] as const,
  ),
] as const;

describe("what an agent may ask of its model", () => {
  it.each(DOORS)("is a short list of examined requests: %s", (_name, door) => {
    const api = door.kind === "door" ? door.model.api : [];
    expect(api.length).toBeGreaterThan(0);
    for (const { method, body } of api) expect([method, body?.keys]).toEqual(["POST", expect.any(Object)]);
  });

  it("is this", () => {
    const lines = DOORS.flatMap(([name, door]) =>
      door.kind === "door" ? [`${name}: ${door.model.api.map(({ path }) => path.source).join(" ")}`] : [],
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
