import type { Range } from "../secrets/find-fragments.ts";
import { findKnownKeys } from "../secrets/find-known-keys.ts";
import { createSecretFinder } from "../secrets/find-secrets.ts";
import { type Redact, redactorOf } from "../secrets/redact.ts";
import { secretValues } from "../secrets/secret-values.ts";

/** `known`: a value that Loom was given. `looks`: a key by its looks, whoever it belongs to. */
export type SecretHit = { readonly kind: "known" | "looks"; readonly text: string };

export type SecretScan = {
  find(text: string): SecretHit[];
  readonly redact: Redact;
};

/** Looks for secrets in what is about to be published. The hits hold secrets: they are compared, never shown. */
export function createSecretScan(
  env: Readonly<Record<string, string | undefined>>,
  more: readonly string[] = [],
): SecretScan {
  const findKnown = createSecretFinder(secretValues(env, more));
  return {
    redact: redactorOf(findKnown),
    find: (text) => [
      ...hits("known", text, findKnown(text)),
      ...hits("looks", text, findKnownKeys(text)).filter((hit) => !isExample(hit.text)),
    ],
  };
}

function hits(kind: SecretHit["kind"], text: string, ranges: readonly Range[]): SecretHit[] {
  return ranges.map(({ from, to }) => ({ kind, text: text.slice(from, to) }));
}

const SAYS_EXAMPLE = /example|sample|dummy|fake|placeholder|redacted|x{4}|0{6}|1234567|abcdef/i;
const FEWEST_LETTERS = 10;
/** The smallest private key that is in use has 48 bytes. */
const SHORTEST_PRIVATE_KEY = 64;

/** Documents and tests have to show what a key looks like, and no real one looks like that. */
function isExample(key: string): boolean {
  // Dots that stand for the rest don't make one of a key that is there.
  if (key.startsWith("-----"))
    return key.replace(/-----[^-]*-----|[^A-Za-z0-9+/=]/g, "").length < SHORTEST_PRIVATE_KEY;
  return SAYS_EXAMPLE.test(key) || new Set(key).size < FEWEST_LETTERS;
}
