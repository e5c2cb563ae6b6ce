import { ipv4Within, readIpv4, readIpv6 } from "./ip-address.ts";

/**
 * Whether an address lies in one of these networks, such as `203.0.113.7/24`. Asked about the networks of the machine's own
 * interfaces: the address of an interface leads to what this machine serves to itself, and the rest of its network to its
 * neighbours, also where all of them have public addresses, as is usual with IPv6.
 */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  const bits = bitsOf(address);
  return bits !== null && networks.some((network) => isIn(bits, network));
}

/** A network so wide is a mistake of its interface; taken at its word it would be half of the internet. */
const WIDEST = { 32: 8, 128: 16 } as const;

function isIn(bits: string, network: string): boolean {
  const [start = "", digits = ""] = network.split("/");
  const base = bitsOf(start);
  if (base?.length !== bits.length) return false;
  const length = /^\d{1,3}$/.test(digits) ? Number(digits) : base.length;
  const common = length < WIDEST[bits.length === 32 ? 32 : 128] ? base.length : length;
  return bits.slice(0, common) === base.slice(0, common);
}

/** As a text of zeros and ones; of an IPv4 address that is wrapped in an IPv6 one, its own. */
function bitsOf(address: string): string | null {
  const bits4 = readIpv4(address);
  if (bits4 !== null) return binary(bits4, 32);
  const groups = readIpv6(address);
  if (groups === null) return null;
  const within = ipv4Within(groups);
  return within === null ? groups.map((group) => binary(group, 16)).join("") : binary(within, 32);
}

function binary(value: number, length: number): string {
  return value.toString(2).padStart(length, "0");
}
