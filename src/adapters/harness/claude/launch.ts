import { join } from "node:path";
import type { ToolAccess } from "../../../ports/harness.ts";
import type { Sandbox } from "../../../ports/sandbox.ts";
import type { Environment } from "../agent-environment.ts";
import type { Launch, LaunchOrder } from "../cli/cli.ts";
import { putFile } from "../cli/put-file.ts";
import { shellWord } from "../cli/shell-word.ts";
import { claudeKeyIn } from "./endpoint.ts";

/**
 * How claude is started. What is left out matters as much as what is there:
 *
 * - Tools are a list of those that work headless. Others run commands that no hook sees (monitors, schedules,
 *   workflows), or look things up through the provider, past the sandbox's network.
 * - Settings of the repository are not read, so no hook, server, agent or permission of its own takes part.
 * - Sub-agents and commands do not go on in the background: when the main agent has ended, the session has.
 * - There is no option for a temperature. It could be slipped into each request (CLAUDE_CODE_EXTRA_BODY), but the provider
 *   refuses any but its own where a model thinks, and here they do.
 */
export async function launchClaude(order: LaunchOrder): Promise<Launch> {
  const { spec, sandbox, bin, model, extraArgs } = order;
  // Hooks that an agent left there would run in its next session, past its tools and past the guard.
  await putFile(sandbox.home, join(configIn(sandbox.home), "settings.json"), "{}\n");
  const rules = await writeRules(spec.rules, sandbox.home);
  return {
    argv: [
      bin,
      "-p",
      "--output-format",
      "stream-json",
      "--input-format",
      "stream-json",
      "--verbose",
      "--dangerously-skip-permissions",
      "--tools",
      TOOLS[spec.tools],
      "--setting-sources",
      "user",
      "--settings",
      JSON.stringify(settingsFor(sandbox)),
      "--strict-mcp-config",
      ...option("--append-system-prompt-file", rules),
      ...option("--model", model),
      ...option("--effort", spec.effort),
      ...option("--max-turns", spec.maxTurns === null ? null : String(spec.maxTurns)),
      ...option("--max-budget-usd", spec.budgetUsd === undefined ? null : dollars(spec.budgetUsd)),
      ...option("--resume", spec.resume),
      ...extraArgs,
    ],
    env: environmentFor(order),
    stdin: inputFor(spec.task),
  };
}

const TOOLS: Readonly<Record<ToolAccess, string>> = {
  all: "Bash,Edit,Glob,Grep,NotebookEdit,Read,Task,Write",
  edit: "Edit,Glob,Grep,NotebookEdit,Read,Write",
  shell: "Bash,Glob,Grep,Read",
  read: "Glob,Grep,Read",
  none: "",
};

/** A hook that takes longer is passed over by the CLI; the guard is answered at once or says no by itself. */
const GUARD_SECONDS = 600;

async function writeRules(rules: string, home: string): Promise<string | null> {
  if (rules.trim() === "") return null;
  const file = join(configIn(home), "loom-rules.md");
  await putFile(home, file, rules);
  return file;
}

function settingsFor({ guard }: Sandbox) {
  const command = guard?.map(shellWord).join(" ");
  const hook = { matcher: "Bash", hooks: [{ type: "command", command, timeout: GUARD_SECONDS }] };
  return {
    // Both names of the same wish: no line about the agent in commits and pull requests.
    includeCoAuthoredBy: false,
    attribution: { commit: "", pr: "" },
    ...(command === undefined ? {} : { hooks: { PreToolUse: [hook] } }),
  };
}

/** The question for the window is answered from the CLI's own knowledge, before the model is asked anything. */
function inputFor(task: string): string {
  const window = {
    type: "control_request",
    request_id: WINDOW_REQUEST,
    request: { subtype: "get_context_usage", detail: "summary" },
  };
  const message = {
    type: "user",
    message: { role: "user", content: [{ type: "text", text: task }] },
    parent_tool_use_id: null,
    session_id: "",
  };
  return `${JSON.stringify(window)}\n${JSON.stringify(message)}\n`;
}

const WINDOW_REQUEST = "loom-window";

/** Which models the short names stand for is the operator's to say. */
const PASSED_ON = [
  "ANTHROPIC_DEFAULT_OPUS_MODEL",
  "ANTHROPIC_DEFAULT_SONNET_MODEL",
  "ANTHROPIC_DEFAULT_HAIKU_MODEL",
];

function environmentFor({ sandbox, modelUrl, placeholder, env }: LaunchOrder): Record<string, string> {
  return {
    ...pick(env, PASSED_ON),
    CLAUDE_CONFIG_DIR: configIn(sandbox.home),
    CLAUDE_CODE_TMPDIR: sandbox.tmp,
    ANTHROPIC_BASE_URL: modelUrl,
    [claudeKeyIn(env) ?? "ANTHROPIC_API_KEY"]: placeholder,
    // A dead key would be tried eleven times in three minutes.
    CLAUDE_CODE_MAX_RETRIES: "2",
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1",
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTO_COMPACT: "1",
    DISABLE_AUTOUPDATER: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_TELEMETRY: "1",
    // As root it refuses to skip permissions unless it is told that something else isolates it.
    IS_SANDBOX: "1",
  };
}

function configIn(home: string): string {
  return join(home, ".claude");
}

function pick(env: Environment, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}

/** As a plain number: it does not take 1e-7. */
function dollars(usd: number): string {
  return Math.max(usd, 0.0001).toFixed(4);
}

function option(name: string, value: string | null): string[] {
  return value === null ? [] : [name, value];
}
