import type { Range } from "./find-fragments.ts";

/** Keys and tokens by their looks, whoever they belong to. */
const KNOWN_LOOKS = new RegExp(
  [
    "-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?",
    "\\b(?:gh[pousr]_|github_pat_|glpat-|npm_)[A-Za-z0-9_.-]{20,}",
    "\\bsk-(?<sk>[A-Za-z0-9_-]{20,})",
    "\\bAIza[0-9A-Za-z_-]{30,}",
    "\\bA(?:KIA|SIA)[0-9A-Z]{16}\\b",
    "\\b[rs]k_live_[0-9A-Za-z]{16,}",
    "\\bhf_[A-Za-z]{30,}",
    "\\bxox[abprs]-[A-Za-z0-9-]{10,}",
  ].join("|"),
  "g",
);

export function findKnownKeys(text: string): Range[] {
  if (text.search(KNOWN_LOOKS) === -1) return [];
  return [...text.matchAll(KNOWN_LOOKS)].flatMap(({ 0: found, index, groups }) =>
    groups?.sk === undefined || isRandom(groups.sk) ? [{ from: index, to: index + found.length }] : [],
  );
}

/** Between the parts of a name, such as `ant-api03-`, a key has a long one that nobody would call anything. */
const LONG_PART = /[A-Za-z0-9]{16,}/g;
const UUID = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/;

/**
 * `sk-` begins the keys of many services, and names of classes and files as well: `sk-circle-fade-dot-animation`. A key
 * is drawn at random, so it has digits in the midst of its letters, or capitals and digits all over.
 */
function isRandom(key: string): boolean {
  const parts = key.match(LONG_PART) ?? [];
  if (parts.some((part) => count(part, /\d/g) >= 2) || UUID.test(key)) return true;
  const isMixed = /[a-z]/.test(key) && /[A-Z]/.test(key) && /\d/.test(key);
  return isMixed && count(key, /[A-Z\d]/g) >= key.length / 4;
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
