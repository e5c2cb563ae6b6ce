import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Where the relay listens on the loopback of a room with a network of its own. */
export const RELAY_PORT = 3128;

export function relayFile(): string {
  return compiledFile("relay.js");
}

export function guardFile(): string {
  return compiledFile("guard.js");
}

/** Compiled, they lie beside this file. From the sources (as in tests), they lie where the build puts them. */
function compiledFile(name: string): string {
  const beside = fileURLToPath(new URL(`./${name}`, import.meta.url));
  return existsSync(beside)
    ? beside
    : fileURLToPath(new URL(`../../../../dist/src/adapters/sandbox/gateway/${name}`, import.meta.url));
}
