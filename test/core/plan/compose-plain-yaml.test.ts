import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { composePlainYaml } from "../../../src/core/plan/compose-plain-yaml.ts";
import { composeAnyYaml } from "../../../src/core/plan/compose-yaml.ts";
import { readValues } from "../../../src/core/plan/yaml-values.ts";
import { propertyRuns } from "../../support/property-runs.ts";

/** What the short cut makes of a text, or null when it leaves it to the package. */
function shortCut(text: string): unknown {
  const contents = composePlainYaml(text);
  return contents && readValues(contents).value;
}

describe("the short cut for plain YAML", () => {
  it("reads what plans are made of", () => {
    const text = `
# A comment
loom:
  version: 1
  stages:
    - id: one
      name: "With quotes: and a colon"
      description: |
        First line.

          Indented.
        # not a comment

      dependencies: []
      files: [src/**, 'a b', 3]
      goal: >-
        Folded
        into one line.

      budget: 2.5
      acceptance:
      - npm test
      - ./run -x  # stays a plan for the package
`;
    const upToTheComment = text.replace(/ {2}# stays.*/, "");
    expect(shortCut(text)).toBeNull();
    expect(shortCut(upToTheComment)).toEqual({
      loom: {
        version: 1,
        stages: [
          {
            id: "one",
            name: "With quotes: and a colon",
            description: "First line.\n\n  Indented.\n# not a comment\n",
            dependencies: [],
            files: ["src/**", "a b", 3],
            goal: "Folded into one line.",
            budget: 2.5,
            acceptance: ["npm test", "./run -x"],
          },
        ],
      },
    });
  });

  it.each([
    "a: b: c\n",
    "a: 'it''s'\n",
    'a: "\\n"\n',
    "a: &x b\n",
    "a: *x\n",
    "a: !t b\n",
    "a: >+\n  b\n",
    "a: >\n  b\n\n  c\n",
    "a: >\n\n  b\n",
    "a: >\n  b\n   c\n",
    "a: >\n  b \n  c\n",
    "a: b\n  c\n",
    "a: 1.\n",
    "a: 01.5\n",
    "a: 1.5e3\n",
    "a: 007\n",
    "a: {b: c}\n",
    "a: [b, [c]]\n",
    "a: [b,]\n",
    "a: b # c\n",
    "a:\tb\n",
    "a: b\r\n",
    "- a\n",
    "a:\n  -\n",
    "a:\n  - - b\n",
    "a: |2\n  b\n",
    "a: |\n",
    "a b: c\n",
    "true: a\n",
    "--- \na: b\n",
    "a: b",
    "a: |\n   b\n  c\n",
  ])("leaves %j to the package", (text) => {
    expect(composePlainYaml(text)).toBeNull();
  });

  it("never reads a text otherwise than the package does, nor finds a place elsewhere", () => {
    let taken = 0;
    fc.assert(
      fc.property(documents, (text) => {
        const contents = composePlainYaml(text);
        if (!contents) return;
        taken += 1;
        const { contents: expected, faults } = composeAnyYaml(text);
        expect(faults).toEqual([]);
        const [mine, theirs] = [readValues(contents), readValues(expected)];
        expect(mine.value).toEqual(theirs.value);
        expect(mine.faults).toEqual(theirs.faults);
        for (const path of pathsOf(theirs.value)) expect(mine.offsetOf(path)).toBe(theirs.offsetOf(path));
      }),
      { numRuns: propertyRuns(30) },
    );
    expect(taken).toBeGreaterThan(propertyRuns(3));
  });
});

const words = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.constantFrom(
      ..."a|b c|12|0|true|~|src/a.ts|npm test|\"q s\"|'x'|.|./x|3 x|{}|é|[]|[a, b]|[ 1 , 'c d' ]|null".split(
        "|",
      ),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...[
        "x: y",
        "1.5",
        "0.25",
        "1.50",
        "1.5.2",
        "-1",
        "a:",
        "a:b",
        "- x",
        "[a: b]",
        "[a,]",
        "'it''s'",
        "a # b",
        "a#b",
      ],
      ...["", "?", "\u00a0x", "x ", ".5", "|"],
    ),
  },
);
const keys = fc.constantFrom("a", "b", "c", "d", "id", "k-2", "c_d", "loom", "name", "e1", "true", "x y");

/** Lines that fit each other more often than not. */
const blocks = fc.letrec<{ map: string[]; seq: string[]; text: string[] }>((tie) => {
  const indent = (lines: readonly string[], by: number) =>
    lines.map((line) => (line === "" ? "" : " ".repeat(by) + line));
  const pair = fc.oneof(
    { maxDepth: 3 },
    fc.tuple(keys, words).map(([key, word]) => [`${key}: ${word}`]),
    fc
      .tuple(keys, tie("text"), fc.constantFrom("|", "|-", ">", ">-"))
      .map(([key, lines, mark]) => [`${key}: ${mark}`, ...indent(lines, 2)]),
    fc
      .tuple(keys, tie("map"), fc.constantFrom(1, 2, 4))
      .map(([key, lines, by]) => [`${key}:`, ...indent(lines, by)]),
    fc
      .tuple(keys, tie("seq"), fc.constantFrom(0, 2))
      .map(([key, lines, by]) => [`${key}:`, ...indent(lines, by)]),
  );
  const item = fc.oneof(
    { maxDepth: 3 },
    words.map((word) => [`- ${word}`]),
    tie("map").map(([first = "a: b", ...rest]) => [`- ${first}`, ...indent(rest, 2)]),
  );
  return {
    map: fc.array(pair, { minLength: 1, maxLength: 3 }).map((pairs) => pairs.flat()),
    seq: fc.array(item, { minLength: 1, maxLength: 3 }).map((items) => items.flat()),
    text: fc.array(fc.constantFrom("text", "text", "", "  more", "- x", "# no", "a: b", "```"), {
      minLength: 1,
      maxLength: 4,
    }),
  };
});

/** A document, with a few lines bent out of shape. */
const documents = fc
  .tuple(
    blocks.map,
    fc.array(fc.tuple(fc.nat(30), fc.constantFrom("", "      ", "  # c", " x", "x", ":", "drop")), {
      maxLength: 2,
    }),
  )
  .map(([lines, bends]) => {
    const bent = [...lines];
    for (const [place, what] of bends) {
      const at = place % bent.length;
      if (what === "drop") bent.splice(at, 1, " ");
      else if (what === "x" || what === ":") bent[at] = `${bent[at]}${what}`;
      else bent.splice(at, 0, what);
    }
    return `${bent.join("\n")}\n`;
  });

function pathsOf(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== "object" || value === null) return [path];
  const below = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [path, ...below.flatMap(([key, inside]) => pathsOf(inside, [...path, key]))];
}
