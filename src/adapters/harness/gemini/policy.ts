import type { ToolAccess } from "../../../ports/harness.ts";

const WRITING = ["write_file", "replace"];
const READING = ["read_file", "read_many_files", "list_directory", "glob", "grep_search"];

/**
 * Searching and fetching happen at the provider, past the sandbox's network. Sub-agents work for minutes without a word, and
 * plan mode and skills are for people.
 */
const NEVER = [
  "google_web_search",
  "web_fetch",
  "invoke_agent",
  "activate_skill",
  "enter_plan_mode",
  "exit_plan_mode",
  "save_memory",
];

/** A rule file for the CLI. Tools that it denies are not even offered to the model. */
export function policyFor(tools: ToolAccess): string {
  switch (tools) {
    case "all":
      return rule("deny", NEVER, 998);
    case "edit":
      return only([...READING, ...WRITING]);
    case "shell":
      return only([...READING, "run_shell_command"]);
    case "read":
      return only(READING);
    case "none":
      return rule("deny", ["*"], 998);
  }
}

function only(tools: readonly string[]): string {
  return rule("allow", tools, 998) + rule("deny", ["*"], 997);
}

function rule(decision: "allow" | "deny", tools: readonly string[], priority: number): string {
  const names = tools.map((name) => `"${name}"`).join(", ");
  return `[[rule]]\ntoolName = [${names}]\ndecision = "${decision}"\npriority = ${priority}\n\n`;
}
