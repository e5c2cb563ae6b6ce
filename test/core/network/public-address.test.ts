import { describe, expect, it } from "vitest";
import { isLoopbackAddress, isPublicAddress } from "../../../src/core/network/public-address.ts";

describe("an address", () => {
  it.each([
    "1.1.1.1",
    "172.15.0.1",
    "172.32.0.1",
    "100.128.0.1",
    "168.63.129.15",
    "168.63.129.17",
    "192.31.195.255",
    "192.175.49.0",
    "2606:4700::1111",
    "2620:4f:8001::1",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
  ])("%s is public", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.0.1",
    "169.254.169.254",
    "168.63.129.16",
    "172.16.0.1",
    "172.31.255.255",
    "192.31.196.1",
    "192.52.193.255",
    "192.168.1.1",
    "192.175.48.6",
    "198.19.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:a9fe:a9fe",
    "::ffff:168.63.129.16",
    "64:ff9b::7f00:1",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd12:3456::1",
    "ff02::1",
    "2001:db8::1",
    "2001::1",
    "2002:7f00:1::",
    "2620:4f:8000::1",
    "2620:4f:8000:ffff::1",
    "fec0::1",
    "example.org",
    "",
    "1.2.3",
  ])("%j is not", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it("of loopback is known as such", () => {
    expect(["127.0.0.1", "127.9.9.9", "::1", "0:0:0:0:0:0:0:1"].every(isLoopbackAddress)).toBe(true);
    expect(["10.0.0.1", "::2", "::", "localhost"].some(isLoopbackAddress)).toBe(false);
  });
});
