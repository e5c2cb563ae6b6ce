import { describe, expect, it } from "vitest";
import { hostProblem, namedHostProblem } from "../../../src/core/sandbox/host-problem.ts";

describe("a host that may be reached", () => {
  it.each(["example.org", "*.example.org", "example.org:8443", "localhost:5432"])("can be %s", (text) => {
    expect(hostProblem(text)).toBeNull();
    expect(namedHostProblem(text)).toBeNull();
  });

  it.each(["", "https://example.org", "example.org/a", "a b", "example.org:0", "a.*.org", "x".repeat(5_000)])(
    "can't be %j",
    (text) => {
      expect(hostProblem(text)).toMatch(/^.{10,300}\.$/);
      expect(namedHostProblem(text)).toBe(hostProblem(text));
    },
  );

  it("is any host for the operator only", () => {
    expect([hostProblem("*"), hostProblem("*.com")]).toEqual([null, null]);
    expect([namedHostProblem("*"), namedHostProblem("*.com")]).toMatchInlineSnapshot(`
      [
        ""*" would open the whole network; name the hosts.",
        ""*.com" would open a whole top-level domain; name the hosts.",
      ]
    `);
  });
});
