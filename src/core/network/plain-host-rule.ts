import { readHostRule } from "./allowed-host.ts";
import { writeHost } from "./canonical-host.ts";

/**
 * A rule in the spelling that is compared, which is also the one that people are to see: a name with a Cyrillic `а` looks
 * like another host, its punycode like none. The text as it is where it is no rule.
 */
export function plainHostRule(text: string): { readonly text: string; readonly isDisguised: boolean } {
  const reading = readHostRule(text);
  if (reading.kind === "problem" || reading.rule.kind === "any") return { text, isDisguised: false };
  const { kind, host, port } = reading.rule;
  const plain = `${kind === "below" ? "*." : ""}${writeHost(host)}${port === null ? "" : `:${port}`}`;
  return { text: plain, isDisguised: /[^\u0020-\u007e]/.test(text) || /(?:^|\.)xn--/.test(host) };
}
