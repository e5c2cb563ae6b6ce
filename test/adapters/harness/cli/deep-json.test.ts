import { expect, it } from "vitest";
import { jsonLine } from "../../../../src/adapters/harness/cli/json-line.ts";
import { quickly } from "../../../support/quickly.ts";

it("does not spend seconds on a line of brackets within brackets", () => {
  for (const open of ["[", '{"a":', "[[", '[{"b":'])
    quickly(100, () => expect(jsonLine(`{"x":${open.repeat(3_500_000 / open.length)}`)).toBeNull(), open);
});

it("reads a long line all the same, whatever its texts hold", () => {
  const text = `${'[{"'.repeat(50_000)}\\`;
  expect(jsonLine(JSON.stringify({ type: "assistant", text }))).toEqual({ type: "assistant", text });
});
