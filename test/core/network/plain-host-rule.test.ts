import { describe, expect, it } from "vitest";
import { plainHostRule } from "../../../src/core/network/plain-host-rule.ts";
import { problemsOf, stageFrom, withStages } from "../../support/read-plans.ts";

describe("a host that looks like another", () => {
  it.each([
    ["exаmple.com", "xn--exmple-4nf.com"], // a Cyrillic letter
    ["*.exаmple.com:8443", "*.xn--exmple-4nf.com:8443"],
    ["ｅxample.com", "example.com"],
    ["example。com", "example.com"],
    ["straße.example", "xn--strae-oqa.example"],
    ["xn--exmple-4nf.com", "xn--exmple-4nf.com"],
    ["api.xn--exmple-4nf.com", "api.xn--exmple-4nf.com"],
  ])("is shown as what it is: %s is %s", (written, plain) => {
    expect(plainHostRule(written)).toEqual({ text: plain, isDisguised: true });
    const fields = `sandbox: { network: { allowed_domains: ["${written}"] } }\nacceptance: [x]`;
    expect(stageFrom(fields).sandbox.network.allowedDomains).toEqual([plain]);
  });

  it.each(["example.com", "*.example.com", "example.com:8443", "[2001:db8::1]:443", "*", "not a host"])(
    "is not %s",
    (written) => {
      expect(plainHostRule(written)).toEqual({ text: written, isDisguised: false });
    },
  );

  it("is told to whoever reads the plan", () => {
    const stage =
      '- id: one\n  acceptance: [x]\n  sandbox: { network: { allowed_domains: ["exаmple.com"] } }';
    expect(problemsOf(withStages(stage))).toMatchInlineSnapshot(`
      [
        "9 warning stages[0].sandbox.network.allowed_domains[0]: \`exаmple.com\` has letters that look like others; it is the host \`xn--exmple-4nf.com\`. | Make sure that it is the one you mean, and write \`xn--exmple-4nf.com\`.",
      ]
    `);
  });
});
