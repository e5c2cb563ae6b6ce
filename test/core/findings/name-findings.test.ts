import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EarlierFinding, EarlierFindings } from "../../../src/core/findings/earlier-finding.ts";
import { nameFindings, type UnnamedFinding } from "../../../src/core/findings/name-findings.ts";

function old(id: string, title: string, fields: Partial<EarlierFinding> = {}): EarlierFinding {
  return { id, title, text: title, file: "a.ts", line: 10, replies: [], ...fields };
}

function found(title: string, fields: Partial<UnnamedFinding> = {}): UnnamedFinding {
  const rest = { severity: "high" as const, body: "", endLine: null, suggestion: null };
  return { ...rest, id: null, title, file: "a.ts", line: 10, ...fields };
}

function names(
  findings: readonly UnnamedFinding[],
  earlier: Partial<EarlierFindings>,
  files: readonly string[] = ["a.ts", "b.ts"],
): string[] {
  const { open = [], settled = [], ids = [] } = earlier;
  const known = [...ids, ...[...open, ...settled].map(({ id }) => id)];
  return nameFindings(findings, { open, settled, ids: known }, new Set(files)).map(({ id }) => id);
}

describe("a finding without an id", () => {
  it("is the old one that is called the same around the same place, whoever settled that", () => {
    const open = [old("F1", "The sum `net` is wrong")];
    expect(names([found("the sum net is wrong!", { line: 25 })], { open })).toEqual(["F1"]);
    expect(names([found("The sum net is wrong")], { settled: open })).toEqual(["F1"]);
    expect(names([found("The sum gross is wrong")], { open })).toEqual(["F2"]);
  });

  it.each(["open", "settled"] as const)("is none that is called the same elsewhere and is %s", (state) => {
    const before = { [state]: [old("F1", "Missing alt text")] };
    expect(names([found("Missing alt text", { line: 350 })], before)).toEqual(["F2"]);
    expect(names([found("Missing alt text", { file: "b.ts" })], before)).toEqual(["F2"]);
    expect(names([found("Missing alt text", { file: null, line: null })], before)).toEqual(["F2"]);
  });

  it("is the old one where nobody knows the line any more", () => {
    const open = [old("F1", "It is wrong", { line: null })];
    expect(names([found("It is wrong", { line: 90 })], { open })).toEqual(["F1"]);
    expect(names([found("It is wrong", { line: 90 })], { settled: open })).toEqual(["F1"]);
    expect(names([found("It is wrong", { line: null })], { open: [old("F1", "It is wrong")] })).toEqual([
      "F1",
    ]);
  });

  it("is the old one of a file that is gone and has another name by now", () => {
    const open = [old("F1", "It is wrong")];
    const renamed = found("It is wrong", { file: "b.ts", line: 8, endLine: 12 });
    expect(names([renamed], { open }, ["b.ts"])).toEqual(["F1"]);
    expect(names([renamed], { settled: open }, ["b.ts"])).toEqual(["F1"]);
    expect(names([renamed], { open }, ["a.ts", "b.ts"])).toEqual(["F2"]);
    expect(names([{ ...renamed, line: 90, endLine: null }], { open }, ["b.ts"])).toEqual(["F2"]);
    // GitHub folds a remark on a file that is gone away, and tells no line.
    const folded = [old("F1", "It is wrong", { line: null })];
    expect(names([renamed], { open: folded }, ["b.ts"])).toEqual(["F1"]);
    expect(names([renamed], { settled: folded }, ["b.ts"])).toEqual(["F2"]);
  });

  it("leaves the old one to what is in the same file, whichever comes first", () => {
    const open = [old("F1", "Missing title tag")];
    const both = [found("Missing title tag", { file: "b.ts" }), found("Missing title tag")];
    expect(names(both, { open })).toEqual(["F2", "F1"]);
    expect(
      names(
        both.map((one) => ({ ...one, id: "F1" })),
        { open },
      ),
    ).toEqual(["F2", "F1"]);
  });

  it("is the one on its line where several are called the same", () => {
    const open = [old("F1", "Unchecked"), old("F2", "Unchecked", { line: 50 })];
    const lines = [50, 10, 90].map((line) => found("Unchecked", { line }));
    expect(names(lines, { open })).toEqual(["F2", "F1", "F3"]);
    const close = [
      old("F1", "Unchecked", { line: null }),
      old("F2", "Unchecked"),
      old("F3", "Unchecked", { line: 20 }),
    ];
    const moved = [22, 12].map((line) => found("Unchecked", { line }));
    expect(names(moved, { open: close })).toEqual(["F3", "F2"]);
  });

  it("is compared with what Loom wrote to GitHub when the ledger is lost", () => {
    const open = [old("F1", "Asks @&#8203;mia in \\`a\\`")];
    expect(names([found("Asks @mia in `a`")], { open })).toEqual(["F1"]);
  });

  it("that is found anew after it was fixed is a new one", () => {
    expect(names([found("It is wrong")], { ids: ["F1"] })).toEqual(["F2"]);
  });
});

describe("a finding with an id", () => {
  it("is the old one, in other words or on another line", () => {
    const open = [old("F1", "The sum is wrong"), old("F2", "No test", { file: null, line: null })];
    expect(names([found("Discount taken twice", { id: "F1", line: 14 })], { open })).toEqual(["F1"]);
    expect(names([found("The sum is wrong again", { id: "F1", line: 200 })], { open })).toEqual(["F1"]);
    expect(names([found("The sum is wrong", { id: "F1", file: "b.ts" })], { open })).toEqual(["F1"]);
  });

  it("is a new one when it is clearly another", () => {
    const open = [old("F1", "The sum is wrong")];
    expect(names([found("Password in the log", { id: "F1", line: 90 })], { open })).toEqual(["F2"]);
    expect(names([found("Password in the log", { id: "F1", file: "b.ts" })], { open })).toEqual(["F2"]);
  });

  it("is a new one when it takes the number of what people settled for something else", () => {
    const settled = [old("F1", "The sum is wrong")];
    expect(names([found("Password in the log", { id: "F1" })], { settled })).toEqual(["F2"]);
    expect(names([found("The sum is wrong", { id: "F1", line: 200 })], { settled })).toEqual(["F2"]);
    expect(names([found("The sum is wrong", { id: "F1", file: "b.ts" })], { settled })).toEqual(["F2"]);
    expect(names([found("The sum is still wrong", { id: "F1" })], { settled })).toEqual(["F1"]);
  });

  it("is a new one when nobody has shown it that id", () => {
    expect(names([found("It is wrong", { id: "F1" })], { ids: ["F1"] })).toEqual(["F2"]);
    const many = Array.from({ length: 70 }, (_, n) =>
      old(`F${n + 1}`, `Thing ${n}`, { file: null, line: null }),
    );
    expect(names([found("It is wrong", { id: "F66", file: null })], { open: many })).toEqual(["F71"]);
  });
});

it("gives each a name of its own, and new ones no old name", () => {
  const title = fc.constantFrom("One", "Two", "Three wrong things");
  const id = fc.constantFrom("F1", "F2", "F3", "F9");
  const line = fc.option(fc.integer({ min: 1, max: 40 }));
  fc.assert(
    fc.property(
      fc.array(fc.record({ title, line, id: fc.option(id) }), { maxLength: 6 }),
      fc.uniqueArray(fc.record({ title, line, id }), { selector: (one) => one.id }),
      (list, before) => {
        const open = before.map((one) => old(one.id, one.title, { line: one.line }));
        const given = names(
          list.map(({ title: called, ...fields }) => found(called, fields)),
          { open },
        );
        expect(new Set(given).size).toBe(given.length);
      },
    ),
  );
});
