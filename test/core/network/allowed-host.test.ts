import { describe, expect, it } from "vitest";
import {
  findHostRule,
  type HostRule,
  readHostRule,
  writeHostRule,
} from "../../../src/core/network/allowed-host.ts";

function rule(text: string): HostRule {
  const reading = readHostRule(text);
  if (reading.kind === "problem") throw new Error(reading.message);
  return reading.rule;
}

const lets = (text: string, host: string, port = 443): boolean =>
  findHostRule([rule(text)], host, port) !== null;

describe("a rule for a host", () => {
  it("lets just this host through", () => {
    expect(lets("example.org", "example.org")).toBe(true);
    expect(lets("example.org", "www.example.org")).toBe(false);
  });

  it.each([
    "evil-example.org",
    "example.org.evil.net",
    "notexample.org",
    "xample.org",
    "org",
    "example.orgs",
  ])("does not take %s for example.org or something below it", (host) => {
    expect(lets("example.org", host)).toBe(false);
    expect(lets("*.example.org", host)).toBe(false);
  });

  it("means everything below a name, but not the name, with a star before it", () => {
    expect(lets("*.example.org", "a.example.org")).toBe(true);
    expect(lets("*.example.org", "a.b.example.org")).toBe(true);
    expect(lets("*.example.org", "example.org")).toBe(false);
  });

  it("means every host with a star alone", () => {
    expect(lets("*", "anything.example")).toBe(true);
    expect(lets("*", "anything.example", 22)).toBe(false);
    expect(lets("*:22", "anything.example", 22)).toBe(true);
  });

  it("opens 80 and 443 when it names no port, else just that port", () => {
    expect(lets("example.org", "example.org", 80)).toBe(true);
    expect(lets("example.org", "example.org", 8443)).toBe(false);
    expect(lets("example.org:8443", "example.org", 8443)).toBe(true);
    expect(lets("example.org:8443", "example.org", 443)).toBe(false);
  });

  it("is the same in every spelling", () => {
    expect(rule(" Example.ORG. ")).toEqual(rule("example.org"));
    expect(rule("bücher.example")).toEqual(rule("xn--bcher-kva.example"));
    expect(rule("[2001:DB8:0::1]:8080")).toEqual({ kind: "exact", host: "2001:db8::1", port: 8080 });
    expect(rule("0x7f.1").host).toBe("127.0.0.1");
  });

  it("says what is wrong with it", () => {
    const wrong = [
      "",
      "https://example.org",
      "example.org/path",
      "example.org:0",
      "example.org:99999",
      "example.org:",
      "ex*mple.org",
      "*.*.org",
      "*.10.0.0.1",
      "2001:db8::1",
      "[nonsense]",
      "two words",
      "user@example.org",
      "exa%6dple.org",
      "-.example.org",
    ];
    const said = wrong
      .map((text) => readHostRule(text))
      .map((one) => (one.kind === "problem" ? one.message : one));
    expect(said).toMatchInlineSnapshot(`
      [
        "An empty text names no host; write a name such as \`example.org\`.",
        ""https://example.org" is an address; write the host alone, such as \`example.org\`.",
        ""example.org/path" holds a path; rules are about whole hosts.",
        ""example.org:0" has no usable port; ports are numbers from 1 to 65535.",
        ""example.org:99999" has no usable port; ports are numbers from 1 to 65535.",
        ""example.org:" has no usable port; ports are numbers from 1 to 65535.",
        ""ex*mple.org" has a star where none can be; write \`*.example.org\` or \`*\`.",
        ""*.*.org" has a star where none can be; write \`*.example.org\` or \`*\`.",
        ""*.10.0.0.1" has a star before an address.",
        ""2001:db8::1" is not a host; an IPv6 address stands in brackets, such as \`[2001:db8::1]\`.",
        ""[nonsense]" is not a host; write a name such as \`example.org\`.",
        ""two words" is not a host; write a name such as \`example.org\`.",
        ""user@example.org" is not a host; write a name such as \`example.org\`.",
        ""exa%6dple.org" is not a host; write a name such as \`example.org\`.",
        ""-.example.org" is not a host; write a name such as \`example.org\`.",
      ]
    `);
  });

  it("prefers the exact rule, since that one may open private addresses", () => {
    const rules = [rule("*"), rule("localhost")];
    expect(findHostRule(rules, "localhost", 80)).toEqual(rule("localhost"));
  });

  it("is written as short as it can be", () => {
    expect(writeHostRule("example.org", 443)).toBe("example.org");
    expect(writeHostRule("2001:db8::1", 8443)).toBe("[2001:db8::1]:8443");
  });
});
