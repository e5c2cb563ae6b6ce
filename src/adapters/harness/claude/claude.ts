import { DEFAULTS } from "../../../core/config/defaults.ts";
import type { AgentCli } from "../cli/cli.ts";
import { findClaudeEndpoint } from "./endpoint.ts";
import { launchClaude } from "./launch.ts";
import { createClaudeReader } from "./read.ts";

/** Claude Code, without a person in front of it. */
export function createClaude(): AgentCli {
  return {
    id: "claude",
    program: "claude",
    install: "Install it with `npm install -g @anthropic-ai/claude-code`.",
    defaults: DEFAULTS.models.claude,
    keepsBudget: true,
    endpoint: findClaudeEndpoint,
    hides: [],
    launch: launchClaude,
    createReader: createClaudeReader,
  };
}
