import type { ToolAccess } from "../../../ports/harness.ts";
import type { LaunchOrder } from "../cli/cli.ts";
import { shellWord } from "../cli/shell-word.ts";
import { runsNothing } from "./reading-judge.ts";

/** The variable in which codex finds what it takes for the key. */
export const KEY_VARIABLE = "LOOM_MODEL_KEY";

/** A hook that takes longer is passed over by the CLI; the guard is answered at once or says no by itself. */
const GUARD_SECONDS = 600;

/**
 * What codex is told by its config file.
 *
 * - The work tree is named as not trusted: without that, skipping approvals makes it trusted, and then servers and hooks
 *   of the repository's own `.codex/config.toml` are run.
 * - The hook is asked about shell commands alone; for patches it would be shown the patch as if it were a command.
 * - Retries are few: Loom decides when to try again.
 * - Compaction can't be switched off; it is seen in the rollout.
 * - A temperature can't be set: no request that codex makes has one.
 */
export function codexConfig({
  spec,
  sandbox,
  modelUrl,
}: Pick<LaunchOrder, "spec" | "sandbox" | "modelUrl">): string {
  const sections = [
    [
      `model_provider = "loom"`,
      ...(spec.effort === null ? [] : [`model_reasoning_effort = ${quoted(spec.effort)}`]),
      ...(spec.rules.trim() === "" ? [] : [`developer_instructions = ${quoted(spec.rules)}`]),
      "project_doc_max_bytes = 0",
      `web_search = "disabled"`,
      "check_for_update_on_startup = false",
      // A login shell runs what stands in files of the home, which an agent can write.
      ...(runsNothing(spec.tools) ? ["allow_login_shell = false"] : []),
    ],
    [`[projects.${quoted(spec.tree)}]`, `trust_level = "untrusted"`],
    ["[analytics]", "enabled = false"],
    ["[history]", `persistence = "none"`],
    ["[features]", ...featuresFor(spec.tools)],
    ["[shell_environment_policy]", `inherit = "all"`, `exclude = [${quoted(KEY_VARIABLE)}]`],
    [
      "[model_providers.loom]",
      `name = "Loom"`,
      `base_url = ${quoted(modelUrl)}`,
      `env_key = ${quoted(KEY_VARIABLE)}`,
      `wire_api = "responses"`,
      "request_max_retries = 2",
      "stream_max_retries = 2",
    ],
    ...(sandbox.guard === null ? [] : [hookOf(sandbox.guard.map(shellWord).join(" "))]),
  ];
  return `${sections.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

/** Plugins ask the network when codex starts; sub-agents are not seen in its stream. */
function featuresFor(tools: ToolAccess): string[] {
  const off = ["apps", "multi_agent", "plugins"];
  if (runsNothing(tools)) off.push("shell_snapshot");
  if (tools === "none") off.push("code_mode_host", "shell_tool", "unified_exec", "view_image");
  return off.map((name) => `${name} = false`);
}

function hookOf(command: string): string[] {
  return [
    "[[hooks.PreToolUse]]",
    `matcher = "^Bash$"`,
    "[[hooks.PreToolUse.hooks]]",
    `type = "command"`,
    `command = ${quoted(command)}`,
    `timeout = ${GUARD_SECONDS}`,
  ];
}

/** JSON and TOML agree on strings, but for one character and halves of others. */
function quoted(text: string): string {
  return JSON.stringify(text.replace(/\p{Surrogate}/gu, "\ufffd")).replaceAll("\u007f", "\\u007f");
}
