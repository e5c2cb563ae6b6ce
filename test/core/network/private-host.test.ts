import { describe, expect, it } from "vitest";
import { isPrivateHost } from "../../../src/core/network/private-host.ts";

describe("a host that is private by its spelling", () => {
  it.each([
    "127.0.0.1",
    "10.0.0.8",
    "169.254.169.254",
    "0.0.0.0",
    "::1",
    "::",
    "fe80::1",
    "fd00:ec2::254",
    "::ffff:7f00:1",
    "64:ff9b::a00:8",
    "2002:7f00:1::",
    "localhost",
    "redis",
    "db.localhost",
    "printer.local",
    "metadata.google.internal",
    "nas.home.arpa",
    "git.corp",
  ])("is %s", (host) => {
    expect(isPrivateHost(host)).toBe(true);
  });

  it.each(["example.org", "localhost.example.org", "internal.example.com", "8.8.8.8", "2606:4700::1111"])(
    "is not %s",
    (host) => {
      expect(isPrivateHost(host)).toBe(false);
    },
  );
});
