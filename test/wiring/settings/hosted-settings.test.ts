import { expect, it } from "vitest";
import { DEFAULT_REPOSITORY_CONFIG } from "../../../src/core/config/repository/repository-config.ts";
import { hostedSettings, settingsWarnings } from "../../../src/wiring/settings/hosted-settings.ts";

const WISH = {
  config: DEFAULT_REPOSITORY_CONFIG,
  plan: { maxParallel: null },
  harness: null,
  budgetUsd: null,
};

it("lets a person's wish overrule what stages name, and a repository's choice not", () => {
  const env = { LOOM_HARNESS: "claude" };
  const config = { ...DEFAULT_REPOSITORY_CONFIG, harness: "codex" };
  expect(hostedSettings(env, WISH)).toMatchObject({ harness: "claude", harnessWins: false });
  expect(hostedSettings(env, { ...WISH, config })).toMatchObject({ harness: "codex", harnessWins: false });
  expect(hostedSettings(env, { ...WISH, config, harness: "gemini" })).toMatchObject({
    harness: "gemini",
    harnessWins: true,
  });
});

it("takes the lower one of the operator's and the repository's limits, and of two budgets", () => {
  const { limits } = DEFAULT_REPOSITORY_CONFIG;
  const config = { ...DEFAULT_REPOSITORY_CONFIG, limits: { ...limits, retries: 1, budgetUsd: 5 } };
  const env = { LOOM_HARNESS: "claude", LOOM_MAX_RETRIES: "9", LOOM_TIMEOUT: "60" };
  expect(hostedSettings(env, { ...WISH, config, budgetUsd: 7 })).toMatchObject({
    retries: 1,
    timeoutSecs: 60,
    budgetUsd: 5,
  });
});

it("tells at the start what is wrong with the operator's variables, with and without a usual agent", () => {
  expect(settingsWarnings({})).toEqual([]);
  expect(settingsWarnings({ LOOM_TIMEOUT: "soon", LOOM_FALLBACK: "cladue" })).toMatchInlineSnapshot(`
    [
      "LOOM_TIMEOUT=soon is not a number above 0; using 14400.",
      "LOOM_FALLBACK: \`cladue\` is not a harness. It is passed over.",
    ]
  `);
});
