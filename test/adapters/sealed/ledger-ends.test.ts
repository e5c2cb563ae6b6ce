import { expect, it } from "vitest";
import { createLedgerEnds } from "../../../src/adapters/sealed/ledger-ends.ts";

const end = (version: number) => ({ version, signature: `s${version}` });

it("remembers the ledgers that were looked at last, and of each where it ended lately", () => {
  const ends = createLedgerEnds(3);
  for (const id of ["a", "b", "c"]) ends.keep(id, end(1));
  ends.keep("a", end(2));
  ends.keep("d", end(1));
  expect(["a", "b", "c", "d"].map((id) => ends.newest(id)?.version ?? null)).toEqual([2, null, 1, 1]);
  expect([1, 2, 3].map((version) => ends.signatureAt("a", version))).toEqual(["s1", "s2", null]);
  for (let version = 3; version < 100; version += 1) ends.keep("a", end(version));
  expect([1, 91, 92, 99].map((version) => ends.signatureAt("a", version))).toEqual([
    ...[null, null, "s92", "s99"],
  ]);
  ends.forget("a");
  expect(ends.newest("a")).toBeNull();
});

it("knows a ledger that lost its end by where it ends now, and still what was read of it before", () => {
  const ends = createLedgerEnds();
  ends.keep("a", end(5));
  ends.keep("a", end(3));
  expect(ends.newest("a")).toEqual(end(3));
  expect(ends.signatureAt("a", 5)).toBe("s5");
});
