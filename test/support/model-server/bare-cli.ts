import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { AgentCliId, AgentClis } from "../../setup/agent-clis.ts";

/**
 * Starts an agent CLI without Loom: no sandbox, no adapter, just the options that keep it on its own and on loopback.
 * For proving that the model server speaks as the CLI wants it, and for trying out what a CLI does.
 */
export type BareRun = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
};

export type BarePlace = {
  readonly tree: string;
  readonly home: string;
  readonly tmp: string;
  remove(): void;
};

/** A work tree, a home and a place for temporary files that nobody else has. */
export function barePlace(): BarePlace {
  const root = mkdtempSync(join(tmpdir(), "loom-bare-"));
  const place = { tree: join(root, "tree"), home: join(root, "home"), tmp: join(root, "tmp") };
  for (const folder of Object.values(place)) mkdirSync(folder);
  return { ...place, remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 3 }) };
}

/** Once `signal` is aborted, the CLI is killed. */
export function runBare(
  id: AgentCliId,
  clis: AgentClis,
  place: BarePlace,
  modelUrl: string,
  prompt: string,
  signal: AbortSignal,
): Promise<BareRun> {
  const { args, env } = LAUNCHES[id](place, modelUrl);
  const child = spawn(clis[id].bin, args, {
    cwd: place.tree,
    detached: true,
    env: { PATH: process.env.PATH, LANG: "C.UTF-8", HOME: place.home, TMPDIR: place.tmp, ...env },
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  child.stdin.end(prompt);
  const kill = () => child.pid !== undefined && process.kill(-child.pid, "SIGKILL");
  signal.addEventListener("abort", kill);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      signal.removeEventListener("abort", kill);
      resolve({ code, ...output });
    });
  });
}

type BareLaunch = { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };

const KEY = "a-key";

const LAUNCHES: Readonly<Record<AgentCliId, (place: BarePlace, modelUrl: string) => BareLaunch>> = {
  claude: ({ home, tmp }, modelUrl) => ({
    args: [
      "-p",
      "--verbose",
      "--output-format=stream-json",
      "--model=claude-sonnet-4-5",
      "--dangerously-skip-permissions",
    ],
    env: {
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CONFIG_DIR: join(home, ".claude"),
      CLAUDE_CODE_TMPDIR: tmp,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_MAX_RETRIES: "2",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_AUTO_COMPACT: "1",
      // Without it the CLI refuses to skip permissions for root.
      IS_SANDBOX: "1",
    },
  }),
  codex: ({ tree, home }, modelUrl) => {
    const config = [
      'model = "gpt-5.5"',
      'model_provider = "loom"',
      "check_for_update_on_startup = false",
      "[analytics]",
      "enabled = false",
      "[model_providers.loom]",
      'name = "loom"',
      `base_url = "${modelUrl}/v1"`,
      'env_key = "LOOM_KEY"',
      'wire_api = "responses"',
    ];
    write(join(home, ".codex", "config.toml"), `${config.join("\n")}\n`);
    const args = ["exec", "--json", "-C", tree, "--skip-git-repo-check", "--disable", "plugins"];
    return {
      args: [...args, "--dangerously-bypass-approvals-and-sandbox", "-"],
      env: { CODEX_HOME: join(home, ".codex"), LOOM_KEY: KEY },
    };
  },
  gemini: ({ home }, modelUrl) => {
    const settings = {
      general: { enableAutoUpdate: false, maxAttempts: 2 },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      security: { auth: { selectedType: "gemini-api-key" } },
    };
    write(join(home, ".gemini", "settings.json"), JSON.stringify(settings));
    return {
      args: [
        "--output-format=stream-json",
        "--model=gemini-2.5-flash",
        "--approval-mode=yolo",
        "--skip-trust",
      ],
      env: {
        GEMINI_API_KEY: KEY,
        GEMINI_CLI_HOME: home,
        GEMINI_CLI_NO_RELAUNCH: "true",
        GOOGLE_GEMINI_BASE_URL: modelUrl,
      },
    };
  },
  opencode: ({ tree, home }, modelUrl) => {
    const config = join(home, "opencode.json");
    const provider = {
      npm: "@ai-sdk/openai-compatible",
      name: "loom",
      options: { baseURL: `${modelUrl}/v1`, apiKey: KEY },
      models: { "loom-model": { name: "loom-model", limit: { context: 200_000, output: 32_000 } } },
    };
    write(config, JSON.stringify({ provider: { loom: provider }, compaction: { auto: false } }));
    return {
      args: ["run", "--format=json", "--model=loom/loom-model", "--title=loom", `--dir=${tree}`],
      env: {
        OPENCODE_CONFIG: config,
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_AUTOCOMPACT: "1",
        OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
      },
    };
  },
};

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
