import { describe, expect, it } from "vitest";
import { hostProblem, namedHostProblem, privateHostProblem } from "../../../src/core/network/host-problem.ts";

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

  it.each([
    "127.0.0.1:6379",
    "0x7f.1",
    "0177.0.0.1",
    "2130706433:80",
    "[::1]:6379",
    "[::ffff:127.0.0.1]",
    "[64:ff9b::10.0.0.1]",
    "[fe80::1]",
    "169.254.169.254",
    "localhost.",
    "LOCALHOST:8080",
    "a.localhost",
    "*.svc.cluster.local",
    "redis:6379",
  ])("is %s for the operator only", (text) => {
    expect(hostProblem(text)).toBeNull();
    expect(privateHostProblem(text, "checks")).toMatchObject({
      fix: expect.stringContaining("LOOM_CHECK_DOMAINS"),
    });
  });

  it("is said to be private, with who can open it", () => {
    expect(privateHostProblem("127.0.0.1:6379", "allowed_domains")).toMatchInlineSnapshot(`
      {
        "fix": "Remove it; a program reaches the loopback of its own sandbox without a rule. For anything else, ask the operator to add it to LOOM_ALLOWED_DOMAINS.",
        "message": ""127.0.0.1:6379" is not on the public internet, and only Loom's operator can open such hosts.",
      }
    `);
    expect(privateHostProblem("example.org", "setup")).toBeNull();
    expect(privateHostProblem("a b", "setup")).toBeNull();
  });
});
