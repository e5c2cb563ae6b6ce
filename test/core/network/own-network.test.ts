import { describe, expect, it } from "vitest";
import { isInNetworks } from "../../../src/core/network/own-network.ts";

const OWN = ["8.8.4.7/24", "127.0.0.1/8", "2a00:1450:4001:81b::5/64", "9.9.9.9/32", "1.2.3.4/0", "4.4.4.4"];

describe("the networks of this machine's interfaces", () => {
  it.each([
    ["the address of an interface", "8.8.4.7"],
    ["a neighbour with a public address", "8.8.4.200"],
    ["a neighbour by IPv6", "2a00:1450:4001:81b:dead::1"],
    ["its own address, mapped into IPv6", "::ffff:8.8.4.7"],
    ["its own address, mapped and in hexadecimal", "::ffff:808:407"],
    ["its own address, by NAT64", "64:ff9b::8.8.4.7"],
    ["an interface that is a network of one", "9.9.9.9"],
    ["an interface without a mask", "4.4.4.4"],
    ["the address of one whose mask covers everything", "1.2.3.4"],
  ])("hold %s", (_what, address) => {
    expect(isInNetworks(address, OWN)).toBe(true);
  });

  it.each(["8.8.5.7", "2a00:1450:4001:81c::5", "9.9.9.8", "1.2.3.5", "5.5.5.5", "example.org", ""])(
    "do not hold %j",
    (address) => {
      expect(isInNetworks(address, OWN)).toBe(false);
    },
  );
});
