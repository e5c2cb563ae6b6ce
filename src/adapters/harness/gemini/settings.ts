import type { Effort } from "../../../core/plan/plan.ts";
import type { SessionSpec } from "../../../ports/harness.ts";
import type { Sandbox } from "../../../ports/sandbox.ts";
import { shellWord } from "../cli/shell-word.ts";

export const RULES_FILE = "loom-rules.md";

/** A hook that takes longer is passed over by the CLI; the guard is answered at once or says no by itself. */
const GUARD_MS = 600_000;
/** With five and ten seconds between them; the CLI's own ten attempts take more than three minutes. */
const ATTEMPTS = 3;
/** It ends commands that say nothing for five minutes; whether silence is too long is Loom's to judge. */
const SILENT_COMMAND_SECS = 86_400;

export function settingsFor(spec: SessionSpec, sandbox: Sandbox, model: string | null): object {
  return {
    general: {
      enableAutoUpdate: false,
      enableAutoUpdateNotification: false,
      maxAttempts: ATTEMPTS,
      plan: { enabled: false },
      sessionRetention: { enabled: false },
    },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    security: {
      auth: { selectedType: "gemini-api-key" },
      // Commands get what every program in the sandbox gets, and not what is meant for the CLI alone.
      environmentVariableRedaction: { enabled: true, allowed: Object.keys(sandbox.env) },
    },
    context: {
      fileName: [RULES_FILE, "GEMINI.md", "AGENTS.md"],
      // Its tools read nothing outside of the folders that it is told of; as an option, one with a comma would be two.
      ...(spec.shows ? { includeDirectories: spec.shows } : {}),
    },
    // At 1 the conversation would have to be longer than the window before it is shortened.
    model: { maxSessionTurns: spec.maxTurns ?? -1, compressionThreshold: 1 },
    modelConfigs: { customOverrides: overridesFor(spec, model) },
    tools: { useRipgrep: false, shell: { inactivityTimeout: SILENT_COMMAND_SECS } },
    advanced: { ignoreLocalEnv: true, autoConfigureMemory: false },
    experimental: { enableAgents: false, autoMemory: false },
    skills: { enabled: false },
    ...(sandbox.guard === null ? {} : { hooks: { BeforeTool: [guardHook(sandbox.guard)] } }),
  };
}

function guardHook(guard: readonly string[]): object {
  const command = guard.map(shellWord).join(" ");
  return {
    matcher: "run_shell_command",
    hooks: [{ type: "command", name: "loom", command, timeout: GUARD_MS }],
  };
}

const BUDGETS: Readonly<Record<Effort, number>> = { low: 1_024, medium: 8_192, high: 24_576 };
const LEVELS: Readonly<Record<Effort, string>> = { low: "LOW", medium: "MEDIUM", high: "HIGH" };

/** The CLI has a temperature of its own, 1, which this takes the place of. */
function overridesFor({ effort, temperature }: SessionSpec, model: string | null): object[] {
  const generateContentConfig = {
    ...(effort === null ? {} : { thinkingConfig: thinkingFor(effort, model) }),
    ...(temperature === null ? {} : { temperature }),
  };
  if (Object.keys(generateContentConfig).length === 0) return [];
  return [{ match: { overrideScope: "core" }, modelConfig: { generateContentConfig } }];
}

/** Models before the third generation are told how many tokens they may think for, later ones how hard. */
function thinkingFor(effort: Effort, model: string | null): object {
  const older = /^gemini-[12](?:\.|-)/.test(model ?? "");
  return older ? { thinkingBudget: BUDGETS[effort] } : { thinkingLevel: LEVELS[effort] };
}
