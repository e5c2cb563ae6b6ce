import { describe, expect, it } from "vitest";
import { hidingLines, hidingMacros } from "../../../src/core/merge/hidden-diff.ts";

const none = new Set<string>();

describe("hidingLines", () => {
  it.each([
    "*.ts -diff",
    "src/** binary",
    "*.ts linguist-generated",
    "*.ts linguist-generated=true",
    "*.ts gitlab-generated",
    "*.ts text filter=x",
    "*.ts merge=ours",
    "*.ts -merge",
    "secret/** export-ignore",
    "*.ts working-tree-encoding=UTF-16",
    '"a b.ts" -diff',
    "[attr]quiet -diff",
  ])("finds %j", (line) => {
    expect(hidingLines(null, `# x\n${line}\r\n`, none)).toEqual([line]);
  });

  it.each([
    "* text=auto",
    "*.ts diff",
    "*.py diff=python",
    "*.ts -linguist-generated",
    "*.ts linguist-generated=false",
    "# -diff",
    "-diff",
  ])("passes over %j", (line) => {
    expect(hidingLines(null, line, none)).toEqual([]);
  });

  it("passes over lines that the base has", () => {
    expect(hidingLines("*.lock -diff\n", "*.lock -diff\n*.ts -diff\n", none)).toEqual(["*.ts -diff"]);
  });

  it("sees through names for several attributes, also names for such names", () => {
    const macros = hidingMacros("[attr]quiet -diff\n[attr]silent quiet\n[attr]loud diff\n");
    expect(hidingLines(null, "*.ts silent\n*.md quiet\n*.py loud\n", macros)).toEqual([
      "*.ts silent",
      "*.md quiet",
    ]);
  });
});
