import { DEFAULTS } from "../../../core/config/defaults.ts";
import type { AgentCli } from "../cli/cli.ts";
import { findGeminiEndpoint } from "./endpoint.ts";
import { launchGemini } from "./launch.ts";
import { createGeminiReader } from "./read.ts";

/** The Gemini CLI, without a person in front of it. */
export function createGemini(): AgentCli {
  return {
    id: "gemini",
    program: "gemini",
    install: "Install it with `npm install -g @google/gemini-cli`.",
    defaults: DEFAULTS.models.gemini,
    endpoint: findGeminiEndpoint,
    hides: [],
    launch: launchGemini,
    createReader: createGeminiReader,
  };
}
