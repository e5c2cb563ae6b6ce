import type { AgentCli } from "../cli/cli.ts";
import { findGeminiDoor } from "./door.ts";
import { launchGemini } from "./launch.ts";
import { createGeminiReader } from "./read.ts";

/** The Gemini CLI, without a person in front of it. */
export function createGemini(): AgentCli {
  return {
    id: "gemini",
    program: "gemini",
    install: "Install it with `npm install -g @google/gemini-cli`.",
    // The CLI's own choice, `auto`, asks another model first which one is to answer.
    defaults: { model: "gemini-2.5-pro", smallModel: "gemini-2.5-flash" },
    door: findGeminiDoor,
    hides: [],
    launch: launchGemini,
    createReader: createGeminiReader,
  };
}
