import { createClaude } from "../../../src/adapters/harness/claude/claude.ts";
import type { AgentCli } from "../../../src/adapters/harness/cli/cli.ts";
import { createCodex } from "../../../src/adapters/harness/codex/codex.ts";
import { createGemini } from "../../../src/adapters/harness/gemini/gemini.ts";
import { createOpencode } from "../../../src/adapters/harness/opencode/opencode.ts";
import type { AgentCliId } from "../../setup/agent-clis.ts";
import type { ToolCall } from "../../support/model-server/step.ts";

/** All in which the four differ, as far as whole sessions are concerned. */
export type DrivenCli = {
  readonly id: AgentCliId;
  create(): AgentCli;
  /** What the operator sets to lead it to a provider. */
  settings(url: string, key: string): Readonly<Record<string, string>>;
  /** As a plan names it, and as the provider hears it. */
  readonly model: { readonly asked: string; readonly heard: string };
  /** Tokens above 65 % of what it takes for that model's window, and below what would make it shorten the conversation. */
  readonly nearlyFull: number;
  /** Where a request says how hard to think, for the effort `high`. */
  readonly effort: { readonly path: readonly string[]; readonly heard: unknown };
  /** It can be told a temperature. */
  readonly takesTemperature: boolean;
  /** Its own names for what it works with. */
  readonly tools: { readonly write: string; readonly shell: string };
  /** The shell tool by its own name, also where it is not offered. */
  shell(command: string): ToolCall;
  /** The tool that writes files, likewise. */
  write(path: string, text: string): ToolCall;
  /** So many lines of a file, counted from 1. */
  readLines(path: string, from: number, count: number): ToolCall;
};

export const DRIVEN_CLIS: readonly DrivenCli[] = [
  {
    id: "claude",
    create: createClaude,
    settings: (url, key) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key }),
    model: { asked: "claude-opus-4-6", heard: "claude-opus-4-6" },
    nearlyFull: 150_000,
    effort: { path: ["output_config", "effort"], heard: "high" },
    takesTemperature: false,
    tools: { write: "Write", shell: "Bash" },
    shell: (command) => ({ raw: { name: "Bash", input: { command, description: "Run it" } } }),
    write: (path, text) => ({ raw: { name: "Write", input: { file_path: path, content: text } } }),
    readLines: (path, offset, limit) => ({
      raw: { name: "Read", input: { file_path: path, offset, limit } },
    }),
  },
  {
    id: "codex",
    create: createCodex,
    settings: (url, key) => ({ OPENAI_BASE_URL: url, OPENAI_API_KEY: key }),
    model: { asked: "gpt-5.5", heard: "gpt-5.5" },
    nearlyFull: 200_000,
    effort: { path: ["reasoning", "effort"], heard: "high" },
    takesTemperature: false,
    tools: { write: "apply_patch", shell: "shell" },
    shell: (cmd) => ({ raw: { name: "exec_command", input: { cmd } } }),
    write: (path, text) => ({
      raw: {
        name: "apply_patch",
        input: `*** Begin Patch\n*** Add File: ${path}\n+${text}\n*** End Patch\n`,
      },
    }),
    readLines: (path, from, count) => ({
      raw: { name: "exec_command", input: { cmd: `sed -n ${from},${from + count - 1}p '${path}'` } },
    }),
  },
  {
    id: "gemini",
    create: createGemini,
    settings: (url, key) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: key }),
    model: { asked: "gemini-2.5-flash", heard: "gemini-2.5-flash" },
    nearlyFull: 750_000,
    effort: { path: ["generationConfig", "thinkingConfig", "thinkingBudget"], heard: 24_576 },
    takesTemperature: true,
    tools: { write: "write_file", shell: "run_shell_command" },
    shell: (command) => ({ raw: { name: "run_shell_command", input: { command, description: "Run it" } } }),
    write: (path, text) => ({ raw: { name: "write_file", input: { file_path: path, content: text } } }),
    readLines: (path, from, count) => ({
      raw: {
        name: "read_file",
        input: { file_path: path, start_line: from, end_line: from + count - 1 },
      },
    }),
  },
  {
    id: "opencode",
    create: createOpencode,
    settings: (url, key) => ({ LOOM_OPENCODE_URL: `${url}/v1`, LOOM_OPENCODE_KEY: key }),
    model: { asked: "loom/loom-model", heard: "loom-model" },
    nearlyFull: 90_000,
    effort: { path: ["reasoning_effort"], heard: "high" },
    takesTemperature: true,
    tools: { write: "write", shell: "bash" },
    shell: (command) => ({ raw: { name: "bash", input: { command, description: "Run it" } } }),
    write: (path, text) => ({ raw: { name: "write", input: { filePath: path, content: text } } }),
    readLines: (path, offset, limit) => ({ raw: { name: "read", input: { filePath: path, offset, limit } } }),
  },
];

export function drivenCli(id: AgentCliId): DrivenCli {
  const found = DRIVEN_CLIS.find((cli) => cli.id === id);
  if (!found) throw new Error(`nobody drives ${id}`);
  return found;
}
