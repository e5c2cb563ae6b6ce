import fc from "fast-check";
import { INHERITED_KEYS } from "../support/inherited-keys.ts";

/** Texts made of the words of a grammar, of keys that every object has, and of anything at all. */
export function fromTokens(tokens: readonly string[], between = ""): fc.Arbitrary<string> {
  const piece = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...tokens) },
    { weight: 1, arbitrary: fc.constantFrom(...INHERITED_KEYS) },
    { weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
    { weight: 1, arbitrary: fc.string({ maxLength: 6, unit: "binary" }) },
  );
  return fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(between));
}

/** Lines of JSON as agents print them, some of them broken. */
export function jsonLines(types: readonly string[], keys: readonly string[]): fc.Arbitrary<string> {
  const key = fc.constantFrom(...keys, ...INHERITED_KEYS);
  const leaf = fc.oneof(
    fc.constantFrom(...types),
    fc.constantFrom<unknown>(null, true, 0, -1, 1e308, "", "x", "9".repeat(30)),
    fc.string({ maxLength: 10 }),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.array(fc.tuple(key, tie("value")), { maxLength: 6 }).map((entries) => Object.fromEntries(entries)),
    ),
  }));
  const event = fc
    .tuple(fc.constantFrom(...types), fc.array(fc.tuple(key, value), { maxLength: 6 }))
    .map(([type, entries]) => JSON.stringify({ type, ...Object.fromEntries(entries) }));
  const line = fc.oneof(
    { weight: 8, arbitrary: event },
    { weight: 1, arbitrary: event.map((text) => text.slice(0, -3)) },
    { weight: 1, arbitrary: fc.string({ maxLength: 20, unit: "binary" }) },
  );
  return fc.array(line, { maxLength: 12 }).map((lines) => lines.join("\n"));
}
