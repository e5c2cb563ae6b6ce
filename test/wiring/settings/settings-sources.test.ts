import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { settingsWarnings } from "../../../src/wiring/settings/hosted-settings.ts";
import { settleSettings } from "../../../src/wiring/settings/settings-sources.ts";
import { tempFolder } from "../../support/git-repo.ts";

describe("the settings of a service", () => {
  it("come from what it was started with and from its user, and from no repository", async () => {
    const home = tempFolder();
    const config = join(home, ".config", "loom");
    mkdirSync(config, { recursive: true });
    writeFileSync(join(config, ".env"), "LOOM_EFFORT=low\nLOOM_MAX_RETRIES=1\nANTHROPIC_API_KEY=sk-mine\n");
    writeFileSync(join(home, ".env"), "LOOM_TIMEOUT=1\n");
    const settled = await settleSettings({ HOME: home, LOOM_EFFORT: "high" }, null);
    expect(settled.env).toEqual({
      HOME: home,
      LOOM_EFFORT: "high",
      LOOM_MAX_RETRIES: "1",
      ANTHROPIC_API_KEY: "sk-mine",
    });
    expect(settled.files).toEqual({ workspace: null, user: join(config, ".env") });
    expect((await settleSettings({ HOME: home }, home)).env.LOOM_TIMEOUT).toBe("1");
  });

  it("warn that there is nobody to ask", () => {
    expect(settingsWarnings({ LOOM_EXECUTION_MODE: "ask" })).toMatchInlineSnapshot(`
      [
        "LOOM_EXECUTION_MODE=ask, but a service has nobody to ask: stages run in parallel.",
      ]
    `);
  });
});
