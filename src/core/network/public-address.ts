import { ipv4Within, readIpv4, readIpv6 } from "./ip-address.ts";

/**
 * Whether an IP address is one of the open internet. Names that people allowed can be made to lead to machines next to
 * Loom's own, such as a cloud's metadata service, so everything else counts as private: loopback, link-local, private and
 * shared ranges, documentation, multicast, networks with a special purpose, and addresses that wrap such an IPv4 address in
 * IPv6. What is not an address is not public.
 */
export function isPublicAddress(address: string): boolean {
  const bits4 = readIpv4(address);
  if (bits4 !== null) return isPublicIpv4(bits4);
  const groups = readIpv6(address);
  return groups !== null && isPublicIpv6(groups);
}

export function isLoopbackAddress(address: string): boolean {
  const bits4 = readIpv4(address);
  return bits4 === null ? readIpv6(address)?.join(":") === "0:0:0:0:0:0:0:1" : bits4 >>> 24 === 127;
}

const CLOSED_IPV4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  // Azure's host, which every machine there reaches by this address.
  "168.63.129.16/32",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
].map((range) => {
  const [start = "", length = ""] = range.split("/");
  return { start: readIpv4(start) ?? 0, mask: (0xffffffff << (32 - Number(length))) >>> 0 };
});

function isPublicIpv4(bits: number): boolean {
  return CLOSED_IPV4.every(({ start, mask }) => (bits & mask) >>> 0 !== start);
}

function isPublicIpv6(groups: readonly number[]): boolean {
  const [first = 0, second = 0, third = 0] = groups;
  const within = ipv4Within(groups);
  if (within !== null) return isPublicIpv4(within);
  // Only 2000::/3 is given out; in it are tunnels that wrap IPv4 addresses, and ranges for documents.
  if (first >>> 13 !== 1) return false;
  if (first === 0x2001 && (second < 0x200 || second === 0xdb8)) return false;
  // Where questions about private addresses end that should never have left their network.
  if (first === 0x2620 && second === 0x4f && third === 0x8000) return false;
  return first !== 0x2002 && !(first === 0x3fff && second < 0x1000);
}
