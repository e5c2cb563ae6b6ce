import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { KNOWN_HARNESSES } from "../../../../src/core/config/harness-settings.ts";
import { SETTING_GROUPS, SETTINGS } from "../../../../src/core/config/settings/setting-table.ts";

const ROOT = resolve(import.meta.dirname, "../../../..");

/** What Loom itself puts into the environment of programs that it starts, and constants that only look like variables. */
const NO_SETTINGS = [
  "LOOM_ATTEMPT",
  "LOOM_GATEWAY",
  "LOOM_IDENTITY",
  "LOOM_MARKER",
  "LOOM_MODEL_KEY",
  "LOOM_OWNER",
  "LOOM_RUN_ID",
  "LOOM_SANDBOX_HOME",
  "LOOM_SANDBOX_SOCKET",
  "LOOM_SANDBOX_TMP",
  "LOOM_SANDBOX_TREE",
  "LOOM_PROMPT",
  "LOOM_STAGE_ID",
];

function namesIn(folder: string, pattern: RegExp): Set<string> {
  const files = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.name.endsWith(".ts") && entry.name !== "setting-table.ts",
  );
  return new Set(
    files.flatMap((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8").match(pattern) ?? []),
  );
}

const names = SETTINGS.map(({ name }) => name);

describe("the table of settings", () => {
  it("has every variable that the sources name, once", () => {
    const read = [
      ...namesIn("src", /\bLOOM_[A-Z0-9_]*[A-Z0-9]\b/g),
      ...namesIn("workers", /\bLOOM_[A-Z0-9_]*[A-Z0-9]\b/g),
    ];
    const missing = read.filter((name) => !names.includes(name) && !NO_SETTINGS.includes(name));
    expect(missing).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  it("has nothing that no source reads", () => {
    const composed = KNOWN_HARNESSES.flatMap((id) =>
      ["BIN", "MODEL", "SMALL_MODEL", "ARGS"].map((field) => `LOOM_${id.toUpperCase()}_${field}`),
    );
    const read = new Set([...namesIn("src", /\b[A-Z][A-Z0-9_]+\b/g), ...composed]);
    expect(names.filter((name) => !read.has(name))).toEqual([]);
  });

  it("has every key and every address of a model that the harnesses take", () => {
    const read = namesIn(
      "src/adapters/harness",
      /\b[A-Z]+_[A-Z_]*(?:API_KEY|AUTH_TOKEN|OAUTH_TOKEN|BASE_URL)\b/g,
    );
    expect([...read].filter((name) => !names.includes(name))).toEqual([]);
    expect(
      SETTINGS.filter(({ name, kind }) => /_(?:KEY|TOKEN|SECRET)$/.test(name) && kind !== "secret"),
    ).toEqual([]);
  });

  it("lets a repository decide about nothing that starts programs, opens the sandbox, names addresses or holds keys", () => {
    const open = SETTINGS.filter(({ weakest }) => weakest === "workspace");
    expect(open.map(({ name }) => name)).toMatchInlineSnapshot(`
      [
        "LOOM_DISABLED_AGENTS",
        "LOOM_MAX_RETRIES",
        "LOOM_MAX_CONCURRENT",
        "LOOM_EXECUTION_MODE",
        "LOOM_VALIDATION_STRICTNESS",
        "LOOM_AUTO_ARCHIVE",
        "LOOM_STATE_DIR",
        "LOOM_CONTRACT",
        "LOOM_EFFORT",
        "LOOM_PLAN_EFFORT",
        "LOOM_TIMEOUT",
        "LOOM_PLAN_TIMEOUT",
        "LOOM_NO_PROGRESS_SECS",
        "LOOM_RETRY_DELAYS",
        "LOOM_RETRY_BACKOFF",
        "LOOM_MAX_TURNS",
        "LOOM_HARNESS",
        "LOOM_FALLBACK",
        "LOOM_ROUTES",
        "LOOM_CLAUDE_MODEL",
        "LOOM_MODEL",
        "LOOM_CLAUDE_SMALL_MODEL",
        "LOOM_COMMIT_MODEL",
        "LOOM_CODEX_MODEL",
        "LOOM_CODEX_SMALL_MODEL",
        "LOOM_GEMINI_MODEL",
        "LOOM_GEMINI_SMALL_MODEL",
        "LOOM_OPENCODE_MODEL",
        "LOOM_OPENCODE_SMALL_MODEL",
        "LOOM_OPENCODE_WINDOW",
      ]
    `);
    const dangerous =
      /_BIN$|_ARGS$|SANDBOX|COMMAND_|SCRIPT|DOMAINS|CONFIG|LIMIT|URL|KEY|TOKEN|SECRET|PASS_ENV|TREES|DATA|_CMD$/;
    expect(
      open.filter(
        ({ name, kind }) => dangerous.test(name) || ["command", "address", "secret"].includes(kind),
      ),
    ).toEqual([]);
  });

  it("says in a few words what each is for, in groups that people see", () => {
    for (const { about, group } of SETTINGS) {
      expect(about.length).toBeGreaterThan(5);
      expect(about.length).toBeLessThan(70);
      expect(SETTING_GROUPS).toContain(group);
    }
  });
});
