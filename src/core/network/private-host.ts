import { isAddress } from "./canonical-host.ts";
import { isPublicAddress } from "./public-address.ts";

/** What lies below these is never of the open internet: they are kept for, or customary in, private networks. */
const PRIVATE_ENDS = [
  "localhost",
  "local",
  "internal",
  "home.arpa",
  "lan",
  "intranet",
  "corp",
  "home",
  "private",
];

/**
 * Whether a canonical host names something of a private network, as far as its spelling tells: an address that is not public,
 * a name of a single label, which is looked up next door, or one below a private ending.
 */
export function isPrivateHost(host: string): boolean {
  if (isAddress(host)) return !isPublicAddress(host);
  return !host.includes(".") || PRIVATE_ENDS.some((end) => host === end || host.endsWith(`.${end}`));
}
