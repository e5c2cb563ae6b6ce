import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { makeProject, type Project, type ProjectOptions } from "../scenario/project.ts";
import { type AgentCliId, ensureAgentClis } from "../setup/agent-clis.ts";
import type { SeenRequest } from "./model-server/seen-request.ts";
import { type ModelServer, startModelServer } from "./model-server/start-model-server.ts";
import type { Script, ScriptRule } from "./model-server/step.ts";

/**
 * Real agent CLIs in the real sandbox, with a model that does what a script says: what stories need to run Loom as a
 * person runs it. Asked for once, before a test puts an empty home in place of the user's.
 */
const CLIS = ensureAgentClis();

/** The only key that the model takes. It is in Loom's environment and must be nowhere else. */
export const MODEL_KEY = "sk-loom-4fQx9vT2mZ7LbK1sRw8eYd3u";

/** What an operator sets to have this agent do the work with this model. */
export function agentEnvironment(harness: AgentCliId, modelUrl: string): Record<string, string> {
  return {
    LOOM_HARNESS: harness,
    LOOM_SANDBOX: "auto",
    LOOM_CLAUDE_BIN: CLIS.claude.bin,
    LOOM_CODEX_BIN: CLIS.codex.bin,
    LOOM_GEMINI_BIN: CLIS.gemini.bin,
    LOOM_OPENCODE_BIN: CLIS.opencode.bin,
    ANTHROPIC_API_KEY: MODEL_KEY,
    ANTHROPIC_BASE_URL: modelUrl,
    OPENAI_API_KEY: MODEL_KEY,
    OPENAI_BASE_URL: `${modelUrl}/v1`,
    GEMINI_API_KEY: MODEL_KEY,
    GOOGLE_GEMINI_BASE_URL: modelUrl,
    LOOM_OPENCODE_URL: `${modelUrl}/v1`,
    LOOM_OPENCODE_KEY: MODEL_KEY,
    LOOM_OPENCODE_MODEL: "loom/loom-model",
    LOOM_CODEX_MODEL: "gpt-5.5",
    // Only stories about the cheap model want one.
    LOOM_CLAUDE_SMALL_MODEL: "",
    LOOM_GEMINI_SMALL_MODEL: "",
  };
}

export type AgentProject = Project & {
  readonly model: ModelServer;
  /** The agent's turns, without titles and probes. */
  readonly turns: () => readonly SeenRequest[];
  /** What the first message of a session was, once for each conversation. */
  readonly prompts: () => readonly string[];
};

export type AgentProjectOptions = Omit<ProjectOptions, "agent"> & {
  readonly harness?: AgentCliId;
  readonly script?: Script;
  readonly rules?: readonly ScriptRule[];
  readonly keys?: readonly string[];
};

/** A repository whose stages are done by a real CLI. */
export async function anAgentProject(options: AgentProjectOptions): Promise<AgentProject> {
  const { harness = "claude", script = [], rules = [], keys = [MODEL_KEY], env, ...rest } = options;
  const model = await startModelServer({ script, rules, keys });
  onTestFinished(() => model.close());
  const project = makeProject({ ...rest, env: { ...agentEnvironment(harness, model.url), ...env } });
  const turns = () => model.requests().filter(({ purpose }) => purpose === "turn");
  return {
    ...project,
    model,
    turns,
    prompts: () =>
      turns()
        .filter((request) => request.turns === 0)
        .map(taskTextOf),
  };
}

/** All that people said in a conversation: the signal, and what was asked later. */
export function taskTextOf(request: SeenRequest): string {
  return request.userTexts.join("\n");
}

/** A rule for the sessions whose conversation holds all of these texts. */
export function whenTold(texts: readonly string[], script: Script): ScriptRule {
  return { when: (request) => texts.every((text) => taskTextOf(request).includes(text)), script };
}

/** A rule for the sessions of a stage, or for those of them that were told something else as well. */
export function forStage(stage: string, script: Script, ...told: readonly string[]): ScriptRule {
  return whenTold([`## Your stage: ${stage}\n`, ...told], script);
}

/** What stands in the prompt of a session that goes on where another one ended. */
export const TOLD = {
  handOff: "## The hand-off",
  answers: "## Answers to your questions",
  failure: "## Why the last attempt did not get through",
} as const;

/** Rules for what is asked in a conversation that has ended, whether or not tools are offered with it. */
export function whenAsked(text: string, script: Script): ScriptRule[] {
  const when = (request: SeenRequest) => request.news.includes(text);
  return [
    { when, script },
    { of: "asides", when, script },
  ];
}

/** The first words of what Loom asks a session for that has ended. */
export const ASKED = {
  handOff: "Stop here: your conversation fills",
  report: "Your last message lacks what the agents",
  completion: "Loom can't accept your last message as the end",
} as const;

/** The end of a session that leaves nothing to ask for. */
export function lastWords(done: string, downstream = "none"): string {
  return [
    "## Task Report",
    "",
    done,
    "",
    "## Downstream Context",
    "",
    `- Key Interfaces Introduced: ${downstream}`,
    "- Patterns Established: none",
    "- Integration Points: none",
    "- Assumptions: none",
    "- Warnings: none",
  ].join("\n");
}

/** Everything in a folder as one text, names included, for proving that something is not in it. */
export function allTextIn(folder: string): string {
  const parts: string[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    parts.push(path);
    if (entry.isFile() && statSync(path).size < 50_000_000) parts.push(readFileSync(path, "latin1"));
  }
  return parts.join("\n");
}
