import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapingLinks, followLinks } from "../../../src/core/paths/links.ts";

const links = (entries: Record<string, string>) => new Map(Object.entries(entries));

describe("followLinks", () => {
  it("ends inside when every step does", () => {
    expect(followLinks("a/b", links({}))).toEqual({ kind: "inside", path: "a/b" });
    expect(followLinks("l", links({ l: "docs/./x" }))).toEqual({ kind: "inside", path: "docs/x" });
    expect(followLinks("d/l", links({ "d/l": "../x" }))).toEqual({ kind: "inside", path: "x" });
    expect(followLinks("l/x", links({ l: "m", m: "d/e" }))).toEqual({ kind: "inside", path: "d/e/x" });
    expect(followLinks("l", links({ l: "up/..", up: "d" }))).toEqual({ kind: "inside", path: "" });
    expect(followLinks("l", links({ l: "." }))).toEqual({ kind: "inside", path: "" });
  });

  it.each([
    ["/etc", {}],
    ["..", {}],
    ["d/../..", {}],
    ["l", {}],
    ["m", { m: "l" }],
    [".git/config", {}],
    ["sub/.Git", {}],
    ["C:/x", {}],
    ["..\\x", {}],
  ])("ends outside by way of %j", (target, others: Record<string, string>) => {
    expect(followLinks("l", links({ ...others, l: target })).kind).toBe("outside");
  });

  it("goes up from where a link led, not from where it stood", () => {
    expect(followLinks("deep/er/l", links({ "deep/er/l": "top/../..", "deep/er/top": "../../x" })).kind).toBe(
      "outside",
    );
  });

  it("always ends", () => {
    const name = fc.constantFrom("a", "b", "c");
    const target = fc.array(fc.constantFrom("a", "b", "c", "..", "."), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.dictionary(name, target), (targets) => {
        const all = new Map(Object.entries(targets).map(([path, parts]) => [path, parts.join("/")]));
        for (const path of all.keys()) expect(["inside", "outside"]).toContain(followLinks(path, all).kind);
      }),
    );
  });
});

describe("escapingLinks", () => {
  it("names those that get out by another spelling of a link", () => {
    const all = links({ "s/l": "..", x: "s/L/../../etc/passwd", y: "S/l./../../etc/passwd", z: "s/m" });
    expect([...escapingLinks(all)]).toEqual(["x", "y"]);
  });

  it("names them all", () => {
    expect([...escapingLinks(links({ a: "/x", b: "c", c: "d/e", d: "a" }))].sort()).toEqual([
      "a",
      "b",
      "c",
      "d",
    ]);
  });
});
