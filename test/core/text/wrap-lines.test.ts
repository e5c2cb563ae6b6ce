import { expect, it } from "vitest";
import { countCodePoints } from "../../../src/core/text/text-width.ts";
import { wrapLines } from "../../../src/core/text/wrap-lines.ts";

const TEXT = `Words are split in \`src/tokenize.js\`, and nowhere else in the package.

- The first one keeps apostrophes where they belong.
  1. Below it stands something longer, too.

  high      indented words of a finding go on below themselves

\`\`\`js
export const code = "stays as it is, however long it may be";
\`\`\`
| a table | is read by its columns, so it stays as it is |
│ and so does what is to be written instead of these lines`;

it("ends lines between words, keeps what stands below a bullet there, and leaves code and tables alone", () => {
  expect(wrapLines(TEXT, 40, countCodePoints)).toMatchInlineSnapshot(`
    "Words are split in \`src/tokenize.js\`,
    and nowhere else in the package.

    - The first one keeps apostrophes where
      they belong.
      1. Below it stands something longer,
         too.

      high indented words of a finding go on
      below themselves

    \`\`\`js
    export const code = "stays as it is, however long it may be";
    \`\`\`
    | a table | is read by its columns, so it stays as it is |
    │ and so does what is to be written instead of these lines"
  `);
});

it("changes nothing where there is room, or none at all", () => {
  expect(wrapLines(TEXT, 200, countCodePoints)).toBe(TEXT);
  expect(wrapLines(TEXT, 10, countCodePoints)).toBe(TEXT);
});
