import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { runCli } from "../../src/cli/run-cli.ts";
import { VERBS } from "../../src/core/command/commands.ts";
import { DEFAULTS } from "../../src/core/config/defaults.ts";
import { KNOWN_HARNESSES } from "../../src/core/config/harness-settings.ts";
import { parseRoutes } from "../../src/core/config/parse-routes.ts";
import { readRepositoryConfig } from "../../src/core/config/repository/read-repository-config.ts";
import { parsePlan } from "../../src/core/plan/read/parse-plan.ts";
import { checkPattern } from "../../src/wiring/check-pattern.ts";
import { loadRoster } from "../../src/wiring/load-roster.ts";

const root = resolve(import.meta.dirname, "../..");
const readme = readFileSync(join(root, "README.md"), "utf8");

/** Names that programs inside get from Loom, or that Loom keeps for itself. */
const NO_SETTINGS = ["LOOM_GATEWAY", "LOOM_IDENTITY", "LOOM_MARKER", "LOOM_MODEL_KEY", "LOOM_OWNER"];
/** Of compose.yaml. */
const COMPOSE = ["LOOM_AGENTS", "LOOM_PUBLISH"];

function namesIn(text: string): string[] {
  return text.match(/\bLOOM_[A-Z]+(?:_[A-Z]+)*\b/g) ?? [];
}

function namesInSources(): Set<string> {
  const names = ["src", "workers"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => namesIn(readFileSync(join(root, folder, file), "utf8"))),
  );
  return new Set(names);
}

function blocks(language: string): string[] {
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm");
  return Array.from(readme.matchAll(fence), ([, text = ""]) => text);
}

/** The names of commands as `loom --help` lists them. */
async function helpOf(): Promise<string[]> {
  const written: string[] = [];
  const stream = { write: (text: string) => written.push(text) > 0, on: () => {}, off: () => {} };
  await runCli(["--help"], { cwd: root, env: {}, stdout: stream, stderr: stream });
  const [, list = ""] = written.join("").split("Commands:");
  return Array.from(list.matchAll(/^ {2}([a-z0-9-]+)/gm), ([, name = ""]) => name);
}

describe("README.md", () => {
  it("names every setting that the code reads", () => {
    const missing = [...namesInSources()].filter(
      (name) => !NO_SETTINGS.includes(name) && !namesIn(readme).includes(name),
    );
    // What one line says for several: `LOOM_SANDBOX_TREE`, `_HOME`, `_TMP` and `_SOCKET`.
    const told = ["LOOM_SANDBOX_HOME", "LOOM_SANDBOX_TMP", "LOOM_SANDBOX_SOCKET"];
    expect(missing.sort()).toEqual(told.sort());
  });

  it("names no setting that the code does not read", () => {
    const known = namesInSources();
    const perAgent = KNOWN_HARNESSES.flatMap((id) =>
      ["BIN", "MODEL", "SMALL_MODEL", "ARGS"].map((field) => `LOOM_${id.toUpperCase()}_${field}`),
    );
    const unknown = namesIn(readme).filter(
      (name) => !known.has(name) && !perAgent.includes(name) && !COMPOSE.includes(name),
    );
    expect(unknown).toEqual([]);
  });

  it("tells the defaults as they are", () => {
    const { processes, memoryMb, fileMb, diskMb } = DEFAULTS.limits;
    for (const row of [
      `| \`LOOM_TIMEOUT\` | ${DEFAULTS.timeoutSecs} |`,
      `| \`LOOM_NO_PROGRESS_SECS\` | ${DEFAULTS.noProgressSecs} |`,
      `| \`LOOM_MAX_RETRIES\` | ${DEFAULTS.retries} |`,
      `| \`LOOM_RETRY_BACKOFF\` | ${DEFAULTS.backoffSecs.base},${DEFAULTS.backoffSecs.max} |`,
      `| \`LOOM_RETRY_DELAYS\` | ${DEFAULTS.transientDelaysSecs.join()} |`,
      `| \`LOOM_MAX_CONCURRENT\` | ${DEFAULTS.maxParallel} |`,
      `| \`LOOM_EFFORT\` | ${DEFAULTS.effort} |`,
      `| \`LOOM_CONTRACT\` | ${DEFAULTS.contract} |`,
      `| \`LOOM_PLAN_TIMEOUT\` | ${DEFAULTS.planTimeoutSecs} |`,
      `| \`LOOM_PLAN_EFFORT\` | ${DEFAULTS.planEffort} |`,
      `| \`LOOM_EXECUTION_MODE\` | ${DEFAULTS.executionMode} |`,
      `| \`LOOM_VALIDATION_STRICTNESS\` | ${DEFAULTS.strictness} |`,
      `| \`LOOM_GATE_CHANGES\` | ${DEFAULTS.gateChanges} |`,
      `| \`LOOM_STATE_DIR\` | \`${DEFAULTS.stateDir}\` |`,
      `| \`LOOM_AUTO_ARCHIVE\` | ${DEFAULTS.autoArchive} |`,
      `| \`LOOM_LIMIT_PROCESSES\`, \`LOOM_LIMIT_MEMORY_MB\` | ${processes}, ${memoryMb} |`,
      `| \`LOOM_LIMIT_FILE_MB\`, \`LOOM_LIMIT_DISK_MB\` | ${fileMb}, ${diskMb} |`,
    ])
      expect(readme).toContain(row);
  });

  it("shows a configuration, a plan, sandbox rules and routes that Loom takes without a word", () => {
    const [config = "", plan = "", sandbox = ""] = blocks("yaml");
    expect(readRepositoryConfig(config).problems).toEqual([]);
    const stages = "loom:\n  version: 1\n  stages:\n    - { id: one, name: One, acceptance: [npm test] }\n";
    for (const text of [plan, `${stages}${sandbox.replace(/^/gm, "  ").trimEnd()}\n`]) {
      const parsed = parsePlan(`# Plan\n\n\`\`\`yaml\n${text}\`\`\`\n`, {
        origin: "elsewhere",
        checkPattern,
      });
      expect(parsed.problems).toEqual([]);
    }
    expect(parseRoutes(/LOOM_ROUTES="([^"]+)"/.exec(readme)?.[1] ?? "").problems).toEqual([]);
  });

  it("shows how plans are made, and what one agent may take, as it is without a word about it", () => {
    const { config } = readRepositoryConfig(blocks("yaml")[0] ?? "");
    expect(config?.planner).toEqual(DEFAULTS.planner);
    expect(config?.commands).toEqual(DEFAULTS.commands);
  });

  it("lists the agents that come with Loom, with what each may do", () => {
    const rows = Array.from(readme.matchAll(/^\| `([a-z0-9-]+)` \| (read[a-z, ]*) \|/gm), ([, name, may]) => [
      name,
      may,
    ]);
    const shipped = [...loadRoster().agents.values()].map(({ name, tools }) => [
      name,
      [
        "read",
        ...(tools.includes("write") ? ["write"] : []),
        ...(tools.includes("shell") ? ["run"] : []),
      ].join(", "),
    ]);
    expect(rows).toEqual(shipped);
  });

  it("names every command of a comment, and every one of the terminal", async () => {
    const commands = Array.from(readme.matchAll(/`([^`\n]+)`/g), ([, text = ""]) => text);
    const names = (trigger: RegExp): string[] =>
      commands.flatMap((text) => [text, text.replace(trigger, "")].map((one) => one.split(" ")[0] ?? ""));
    expect(VERBS.filter((verb) => !names(/^\/loom /).includes(verb))).toEqual([]);
    const known = (await helpOf()).filter((name) => name !== "help");
    expect(known.filter((name) => !names(/^loom /).includes(name))).toEqual([]);
    expect(known).toContain("orchestrate");
  });

  it("leads nowhere that is not there", () => {
    const links = Array.from(readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g), ([, path = ""]) => path);
    expect(links.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});
