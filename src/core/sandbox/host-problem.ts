import { readHostRule } from "../network/allowed-host.ts";

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
