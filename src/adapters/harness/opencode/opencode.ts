import { DEFAULTS } from "../../../core/config/defaults.ts";
import type { AgentCli } from "../cli/cli.ts";
import { findOpencodeEndpoint } from "./endpoint.ts";
import { launchOpencode, OPENCODE_FILES } from "./launch.ts";
import { createOpencodeReader } from "./read.ts";
import { windowOf } from "./window.ts";

/** opencode, without a person in front of it, with the models of whichever provider is named. */
export function createOpencode(): AgentCli {
  return {
    id: "opencode",
    program: "opencode",
    install: "Install it with `npm install -g opencode-ai`.",
    defaults: DEFAULTS.models.opencode,
    endpoint: findOpencodeEndpoint,
    launch: launchOpencode,
    hides: OPENCODE_FILES,
    createReader: (order) => createOpencodeReader(order, windowOf(order.env, order.model)),
  };
}
