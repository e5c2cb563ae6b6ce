import { networkInterfaces } from "node:os";
import { describe, expect, it } from "vitest";
import { createResolver, createTargets } from "../../../../src/adapters/sandbox/gateway/resolve-target.ts";
import { readHostRule } from "../../../../src/core/network/allowed-host.ts";

describe("looking up names", () => {
  it("answers many at a time, although only a few are asked for at once", async () => {
    const resolve = createResolver(10_000);
    const answers = await Promise.all(Array.from({ length: 30 }, () => resolve("localhost")));
    expect(answers.every((found) => found.includes("127.0.0.1") || found.includes("::1"))).toBe(true);
  });

  it("goes on after a name that does not exist", async () => {
    const resolve = createResolver(10_000);
    await Promise.all(["a", "b", "c"].map((name) => expect(resolve(`${name}.invalid`)).rejects.toThrow()));
    expect(await resolve("localhost")).not.toEqual([]);
  });
});

const OWN_NETWORKS = ["8.8.4.7/24", "2a00:1450:4001:81b::5/64"];

function rules(texts: readonly string[]) {
  return texts.flatMap((text) => {
    const reading = readHostRule(text);
    return reading.kind === "rule" ? [reading.rule] : [];
  });
}

/** Where `host:port` leads by these rules, when every name leads to `leadsTo`. */
function reach(
  by: { own?: readonly string[]; asked?: readonly string[] },
  host: string,
  port: number,
  leadsTo: readonly string[] = [],
) {
  const all = { own: rules(by.own ?? []), asked: rules(by.asked ?? []) };
  return createTargets(
    all,
    async () => leadsTo,
    () => OWN_NETWORKS,
  )(host, port);
}

describe("what a plan or a repository opens", () => {
  it.each([
    ["127.0.0.1:6379", "127.0.0.1"],
    ["127.0.0.1:6379", "0x7f.1"],
    ["127.0.0.1:6379", "2130706433"],
    ["0177.0.0.1:6379", "127.0.0.1"],
    ["127.1:6379", "127.0.0.1"],
    ["0.0.0.0:6379", "0.0.0.0"],
    ["[::1]:6379", "[::1]"],
    ["[::]:6379", "[::]"],
    ["[::ffff:127.0.0.1]:6379", "[::ffff:127.0.0.1]"],
    ["[64:ff9b::127.0.0.1]:6379", "[64:ff9b::7f00:1]"],
    ["[2002:7f00:1::]:6379", "[2002:7f00:1::]"],
    ["[fe80::1]:6379", "[fe80::1]"],
    ["169.254.169.254:6379", "169.254.169.254"],
    ["10.0.0.8:6379", "10.0.0.8"],
    ["8.8.4.7:6379", "8.8.4.7"],
    ["8.8.4.9:6379", "8.8.4.9"],
    ["[::ffff:8.8.4.7]:6379", "[::ffff:8.8.4.7]"],
    ["[2a00:1450:4001:81b::1]:6379", "[2a00:1450:4001:81b::1]"],
    ["*:6379", "127.0.0.1"],
    ["*:6379", "8.8.4.7"],
  ])("is not this machine nor its network: %s for %s", async (rule, host) => {
    expect(await reach({ asked: [rule] }, host, 6379)).toMatchObject({ kind: "denied" });
  });

  it.each([
    ["localhost:6379", "localhost", "127.0.0.1"],
    ["localhost.:6379", "localhost.", "::1"],
    ["*.localhost:6379", "redis.localhost", "127.0.0.1"],
    ["redis:6379", "redis", "172.18.0.2"],
    ["evil.example:6379", "evil.example", "127.0.0.1"],
    ["evil.example:6379", "evil.example", "::ffff:10.0.0.8"],
    ["evil.example:6379", "evil.example", "fe80::1%eth0"],
    ["evil.example:6379", "evil.example", "8.8.4.7"],
    ["evil.example:6379", "evil.example", "64:ff9b::808:407"],
    ["*.evil.example:6379", "a.evil.example", "169.254.169.254"],
    ["*:6379", "evil.example", "127.0.0.1"],
  ])("is no name that leads there: %s for %s at %s", async (rule, host, address) => {
    expect(await reach({ asked: [rule] }, host, 6379, [address])).toMatchObject({ kind: "denied" });
  });

  it("is the public part of what a name leads to", async () => {
    const addresses = ["10.0.0.8", "93.184.216.34", "8.8.4.7", "::1"];
    expect(await reach({ asked: ["example.org"] }, "example.org", 443, addresses)).toMatchObject({
      kind: "open",
      addresses: ["93.184.216.34"],
    });
  });

  it("gets no further by an operator's rule for another port or for localhost", async () => {
    const own = ["127.0.0.1:8080", "localhost:9090", "*"];
    const asked = ["127.0.0.1:6379", "evil.example:6379", "evil.example:9090"];
    expect(await reach({ own, asked }, "127.0.0.1", 6379)).toMatchObject({ kind: "denied" });
    expect(await reach({ own, asked }, "evil.example", 6379, ["127.0.0.1"])).toMatchObject({
      kind: "denied",
    });
    expect(await reach({ own, asked }, "evil.example", 9090, ["127.0.0.1"])).toMatchObject({
      kind: "denied",
    });
  });

  it("is refused with the setting that would open it", async () => {
    const asked = ["127.0.0.1:6379", "evil.example"];
    const said = [
      await reach({ asked }, "127.0.0.1", 6379),
      await reach({ asked }, "evil.example", 443, ["10.0.0.8"]),
      await reach({}, "localhost", 6379),
    ].map((target) => ("sentence" in target ? target.sentence : target.kind));
    expect(said).toMatchInlineSnapshot(`
      [
        "127.0.0.1:6379 is not on the public internet, and only Loom's operator can open such addresses: name the address itself in LOOM_ALLOWED_DOMAINS for agents, LOOM_SETUP_DOMAINS for set-up commands, LOOM_CHECK_DOMAINS for checks.",
        "evil.example leads to no public address, and only Loom's operator can open such addresses: name the address itself in LOOM_ALLOWED_DOMAINS for agents, LOOM_SETUP_DOMAINS for set-up commands, LOOM_CHECK_DOMAINS for checks.",
        "localhost:6379 is not on the public internet, and only Loom's operator can open such addresses: name the address itself in LOOM_ALLOWED_DOMAINS for agents, LOOM_SETUP_DOMAINS for set-up commands, LOOM_CHECK_DOMAINS for checks.",
      ]
    `);
  });
});

describe("what an operator opens", () => {
  it.each([
    [["127.0.0.1:6379"], "127.0.0.1", []],
    [["127.0.0.1:6379"], "0x7f.1", []],
    [["[::1]:6379"], "[::1]", []],
    [["localhost:6379"], "localhost", ["127.0.0.1"]],
    [["8.8.4.7:6379"], "8.8.4.7", []],
    [["neighbour.example:6379"], "neighbour.example", ["8.8.4.9"]],
    [["cache.corp:6379", "10.0.0.8:6379"], "cache.corp", ["10.0.0.8"]],
  ])("may be what is not public: %j for %s", async (own, host, leadsTo) => {
    expect(await reach({ own }, host, 6379, leadsTo)).toMatchObject({ kind: "open" });
  });

  it.each([
    [["*:6379"], "8.8.4.7", []],
    [["*:6379"], "anything.example", ["8.8.4.9"]],
    [["*.example:6379"], "neighbour.example", ["8.8.4.9"]],
    [["cache.corp:6379"], "cache.corp", ["10.0.0.8"]],
  ])("is still the public internet alone for %j and %s", async (own, host, leadsTo) => {
    expect(await reach({ own }, host, 6379, leadsTo)).toMatchObject({ kind: "denied" });
  });

  it("knows this machine's own networks without being told", async () => {
    const target = createTargets({ own: [], asked: rules(["*:6379"]) }, createResolver(10_000));
    for (const all of Object.values(networkInterfaces()))
      for (const { address, family } of all ?? [])
        if (!address.includes("%"))
          expect(await target(family === "IPv6" ? `[${address}]` : address, 6379)).toMatchObject({
            kind: "denied",
          });
  });
});
