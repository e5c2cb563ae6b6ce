import { describe, expect, it } from "vitest";
import { readHarnessSettings } from "../../../src/core/config/harness-settings.ts";

const NOTHING = { bin: null, model: null, smallModel: null, args: "" };

describe("settings of a harness", () => {
  it.each(["claude", "codex", "opencode", "gemini", "command"])("of %s come from its variables", (id) => {
    const name = id.toUpperCase();
    const env = {
      [`LOOM_${name}_BIN`]: "/opt/it",
      [`LOOM_${name}_MODEL`]: "big",
      [`LOOM_${name}_SMALL_MODEL`]: "little",
      [`LOOM_${name}_ARGS`]: '--verbose "a b"',
    };
    expect(readHarnessSettings(env, id)).toEqual({
      bin: "/opt/it",
      model: "big",
      smallModel: "little",
      args: '--verbose "a b"',
    });
    expect(readHarnessSettings({}, id)).toEqual(NOTHING);
    expect(readHarnessSettings({ [`LOOM_${name}_BIN`]: " ", [`LOOM_${name}_MODEL`]: "" }, id)).toEqual(
      NOTHING,
    );
  });

  it("has names from the time of one harness, for claude only", () => {
    const env = { LOOM_CLAUDE: "/opt/claude", LOOM_MODEL: "sonnet", LOOM_COMMIT_MODEL: "haiku" };
    expect(readHarnessSettings(env, "claude")).toEqual({
      bin: "/opt/claude",
      model: "sonnet",
      smallModel: "haiku",
      args: "",
    });
    expect(readHarnessSettings(env, "codex")).toEqual(NOTHING);
  });

  it("lets the specific name win over the alias", () => {
    const env = {
      LOOM_CLAUDE: "old",
      LOOM_CLAUDE_BIN: "new",
      LOOM_MODEL: "old",
      LOOM_CLAUDE_MODEL: "new",
      LOOM_COMMIT_MODEL: "old",
      LOOM_CLAUDE_SMALL_MODEL: "new",
    };
    expect(readHarnessSettings(env, "claude")).toMatchObject({ bin: "new", model: "new", smallModel: "new" });
  });

  it("tells no small model from none that is named", () => {
    expect(readHarnessSettings({ LOOM_COMMIT_MODEL: "" }, "claude").smallModel).toBe("");
    expect(readHarnessSettings({ LOOM_CODEX_SMALL_MODEL: " " }, "codex").smallModel).toBe("");
    expect(readHarnessSettings({}, "claude").smallModel).toBeNull();
  });
});
