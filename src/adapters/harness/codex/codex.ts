import type { AgentCli } from "../cli/cli.ts";
import { findCodexDoor } from "./door.ts";
import { launchCodex } from "./launch.ts";
import { createCodexReader } from "./read.ts";

/** Codex, without a person in front of it. */
export function createCodex(): AgentCli {
  return {
    id: "codex",
    program: "codex",
    install: "Install it with `npm install -g @openai/codex`.",
    defaults: { model: null, smallModel: null },
    door: findCodexDoor,
    hides: [],
    launch: launchCodex,
    createReader: createCodexReader,
  };
}
