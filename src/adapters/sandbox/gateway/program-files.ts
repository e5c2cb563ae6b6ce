import { ownProgram } from "../../os/package-root.ts";

/** Where the relay listens on the loopback of a sandbox with a network of its own. */
export const RELAY_PORT = 3128;

export function relayFile(): string {
  return ownProgram("src/adapters/sandbox/gateway/relay.js");
}

export function guardFile(): string {
  return ownProgram("src/adapters/sandbox/gateway/guard.js");
}
