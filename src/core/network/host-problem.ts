import { readHostRule } from "./allowed-host.ts";
import { isPrivateHost } from "./private-host.ts";

/** A name of 253 characters, a star and a port. */
const MAX_HOST = 300;

/** What keeps a text from being a host that may be reached, as a sentence; null when nothing does. */
export function hostProblem(text: string): string | null {
  if (text.length > MAX_HOST) return "A host is too long to be one.";
  const reading = readHostRule(text);
  return reading.kind === "problem" ? reading.message : null;
}

/** The same for hosts of plans and repositories, which name what they need: only an operator opens the whole network. */
export function namedHostProblem(text: string): string | null {
  const wrong = hostProblem(text);
  const reading = wrong === null ? readHostRule(text) : null;
  if (reading?.kind !== "rule") return wrong;
  const { kind, host } = reading.rule;
  const shown = JSON.stringify(text);
  if (kind === "any") return `${shown} would open the whole network; name the hosts.`;
  if (kind === "below" && !host.includes("."))
    return `${shown} would open a whole top-level domain; name the hosts.`;
  return null;
}

/** It would open the whole network, which only an operator does. */
export function opensAll(text: string): boolean {
  const reading = text.length > MAX_HOST ? null : readHostRule(text);
  return reading?.kind === "rule" && reading.rule.kind === "any";
}

/** The lists of hosts that plans and repositories write, and the setting by which an operator says the same. */
export const HOST_SETTINGS = {
  allowed_domains: "LOOM_ALLOWED_DOMAINS",
  setup: "LOOM_SETUP_DOMAINS",
  checks: "LOOM_CHECK_DOMAINS",
} as const;
export type HostList = keyof typeof HOST_SETTINGS;

/** What keeps a plan or a repository from opening this host, which an operator could open (T30); null when nothing does. */
export function privateHostProblem(text: string, list: HostList): { message: string; fix: string } | null {
  const reading = readHostRule(text);
  if (reading.kind === "problem" || reading.rule.kind === "any" || !isPrivateHost(reading.rule.host))
    return null;
  return {
    message: `${JSON.stringify(text)} is not on the public internet, and only Loom's operator can open such hosts.`,
    fix: `Remove it; a program reaches the loopback of its own sandbox without a rule. For anything else, ask the operator to add it to ${HOST_SETTINGS[list]}.`,
  };
}
