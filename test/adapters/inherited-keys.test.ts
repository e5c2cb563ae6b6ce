import { describe, expect, it } from "vitest";
import { parseFlowchart } from "../../playground/pages/mermaid/parse-flowchart.ts";
import { providerOf, splitModel } from "../../src/adapters/harness/opencode/providers.ts";
import { sanitizeGitConfig } from "../../src/adapters/sandbox/provider/bubblewrap/sanitize-git-config.ts";
import { passedEnvironment } from "../../src/adapters/sandbox/provider/clean-environment.ts";
import { INHERITED_KEYS } from "../support/inherited-keys.ts";

describe.each(INHERITED_KEYS)("%s", (key) => {
  it("is no section of a git configuration that is kept", () => {
    const text = `[${key}]\n\tname = x\n\thas = y\n[core]\n\tbare = false\n\t${key} = z\n`;
    expect(sanitizeGitConfig(text)).toBe("[core]\n\tbare = false\n");
  });

  it("is no variable that is passed on, unless there is one", () => {
    expect(passedEnvironment({ LOOM_PASS_ENV: `${key}, A`, A: "1" })).toEqual({ A: "1" });
  });

  it("is no provider of models", () => {
    const model = splitModel(`${key}/gpt`);
    expect(model && providerOf(model)).toBeNull();
  });

  it("is words in a drawing", () => {
    const chart = parseFlowchart(`flowchart TD\n  a["&${key};"]\n  class a ${key}\n`);
    expect(chart?.nodes.map(({ lines }) => lines)).toEqual([[`&${key};`]]);
  });
});
