/** The 32 bits of an IPv4 address in four decimal numbers; null for anything else. */
export function readIpv4(text: string): number | null {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) return null;
  const parts = text.split(".").map(Number);
  return parts.some((part) => part > 255) ? null : parts.reduce((bits, part) => bits * 256 + part, 0) >>> 0;
}

/** The eight groups of an IPv6 address; null for anything else, and for one with a zone. */
export function readIpv6(text: string): number[] | null {
  // A zone says on which wire a link-local address lies; none of those is public.
  const [address = "", zone] = text.toLowerCase().split("%");
  if (zone !== undefined || !address.includes(":")) return null;
  const tail = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address);
  const bits4 = tail ? readIpv4(tail[2] ?? "") : null;
  if (tail && bits4 === null) return null;
  const plain =
    bits4 === null ? address : `${tail?.[1]}${(bits4 >>> 16).toString(16)}:${(bits4 & 0xffff).toString(16)}`;
  const halves = plain.split("::");
  if (halves.length > 2) return null;
  const [head = [], rest = []] = halves.map((half) => (half === "" ? [] : half.split(":")));
  const gap = 8 - head.length - rest.length;
  if (halves.length === 1 ? gap !== 0 : gap < 1) return null;
  const groups = [...head, ...Array<string>(gap).fill("0"), ...rest];
  return groups.every((group) => /^[0-9a-f]{1,4}$/.test(group))
    ? groups.map((group) => parseInt(group, 16))
    : null;
}

/** The IPv4 address that an IPv6 address leads to: mapped (`::ffff:`), or by the well-known prefix of NAT64 (`64:ff9b::`). */
export function ipv4Within(groups: readonly number[]): number | null {
  const isZero = (from: number, to: number): boolean => groups.slice(from, to).every((group) => group === 0);
  const isMapped = isZero(0, 5) && groups[5] === 0xffff;
  const isTranslated = groups[0] === 0x64 && groups[1] === 0xff9b && isZero(2, 6);
  return isMapped || isTranslated ? ((groups[6] ?? 0) * 0x10000 + (groups[7] ?? 0)) >>> 0 : null;
}
