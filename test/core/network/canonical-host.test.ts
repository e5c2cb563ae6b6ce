import { describe, expect, it } from "vitest";
import { canonicalHost } from "../../../src/core/network/canonical-host.ts";

describe("the canonical spelling of a host", () => {
  it.each([
    ["EXAMPLE.org", "example.org"],
    ["example.org.", "example.org"],
    ["straße.example", "xn--strae-oqa.example"],
    ["2130706433", "127.0.0.1"],
    ["0177.0.0.1", "127.0.0.1"],
    ["[::FFFF:7f00:1]", "::ffff:7f00:1"],
    ["[0:0:0:0:0:0:0:1]", "::1"],
    ["_dmarc.example.org", "_dmarc.example.org"],
    ["ｅxample.org", "example.org"],
  ])("of %s is %s", (text, host) => {
    expect(canonicalHost(text)).toBe(host);
  });

  it.each([
    "",
    ".",
    "..",
    "a..b",
    "a b",
    "a/b",
    "a@b",
    "a?b",
    "a#b",
    "a%2eb",
    "a:80",
    "::1",
    "[::1",
    "[fe80::1%eth0]",
    "1.2.3.4.5",
    "256.1.1.1",
    "a\nb",
    "a\u0000b",
    `${"a".repeat(64)}.org`,
    `${"a.".repeat(200)}org`,
  ])("of %j does not exist", (text) => {
    expect(canonicalHost(text)).toBeNull();
  });
});
