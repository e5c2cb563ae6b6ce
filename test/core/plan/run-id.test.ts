import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isId } from "../../../src/core/ids.ts";
import { runIdFor } from "../../../src/core/plan/run-id.ts";

const HASH = "0123456789abcdef".repeat(4);

describe("runIdFor", () => {
  it.each([
    ["PLAN.md", "plan-01234567"],
    ["PLAN-auth.md", "plan-auth-01234567"],
    ["docs/email-gateway/PLAN.md", "email-gateway-plan-01234567"],
    ["doc/plans/PLAN-auth.md", "plans-plan-auth-01234567"],
    ["docs/units", "docs-units-01234567"],
    ["Größe/Übersicht.v2.md", "gro-e-u-bersicht-v2-01234567"],
    ["日本/計画.md", "plan-01234567"],
    ["con", "plan-con-01234567"],
    [".hidden", "hidden-01234567"],
    ["", "plan-01234567"],
  ])("makes of %j the id %s", (path, id) => {
    expect(runIdFor(path, HASH)).toBe(id);
  });

  it("keeps the hash of a long name", () => {
    const id = runIdFor(`${"folder".repeat(20)}/${"name".repeat(20)}.md`, HASH);
    expect(id).toHaveLength(63);
    expect(id.endsWith("-01234567")).toBe(true);
  });

  it("is always an id", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (path) => {
        expect(isId(runIdFor(path, HASH))).toBe(true);
      }),
    );
  });
});
