import { DEFAULTS } from "../../../core/config/defaults.ts";
import type { AgentCli } from "../cli/cli.ts";
import { findCodexEndpoint } from "./endpoint.ts";
import { launchCodex } from "./launch.ts";
import { createCodexReader } from "./read.ts";
import { readingJudge, runsNothing } from "./reading-judge.ts";

/** Codex, without a person in front of it. */
export function createCodex(): AgentCli {
  return {
    id: "codex",
    program: "codex",
    install: "Install it with `npm install -g @openai/codex`.",
    defaults: DEFAULTS.models.codex,
    endpoint: findCodexEndpoint,
    hides: [],
    launch: launchCodex,
    judgeFor: ({ tools, judge }) => (runsNothing(tools) ? readingJudge(judge, tools) : judge),
    createReader: createCodexReader,
  };
}
