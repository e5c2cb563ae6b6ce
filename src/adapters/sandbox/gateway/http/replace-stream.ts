import { Transform } from "node:stream";

/**
 * Puts `replacement` where one of the `needles` stands in a stream of bytes, also where one is torn across chunks. It holds
 * back only bytes that may be the beginning of a needle, so that an event is handed on as soon as it is there.
 */
export function replaceStream(needles: readonly string[], replacement: string): Transform {
  const wanted = needles.filter((needle) => needle !== "").map((needle) => Buffer.from(needle));
  const instead = Buffer.from(replacement);
  let held: Buffer = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const all = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      const { parts, rest } = replaceWhole(all, wanted, instead);
      const keep = longestBeginning(rest, wanted);
      // A copy: the whole chunk would stay in memory for the sake of a few bytes.
      held = Buffer.from(rest.subarray(rest.length - keep));
      for (const part of [...parts, rest.subarray(0, rest.length - keep)])
        if (part.length > 0) this.push(part);
      done();
    },
    flush(done) {
      if (held.length > 0) this.push(held);
      done();
    },
  });
}

function replaceWhole(
  bytes: Buffer,
  needles: readonly Buffer[],
  instead: Buffer,
): { parts: Buffer[]; rest: Buffer } {
  const parts: Buffer[] = [];
  let from = 0;
  const next = needles.map((needle) => ({ needle, at: bytes.indexOf(needle) }));
  for (;;) {
    const first = next
      .filter((one) => one.at >= 0)
      .reduce<(typeof next)[number] | null>(
        (best, one) => (best === null || one.at < best.at ? one : best),
        null,
      );
    if (first === null) return { parts, rest: bytes.subarray(from) };
    parts.push(bytes.subarray(from, first.at), instead);
    from = first.at + first.needle.length;
    for (const one of next) if (one.at >= 0 && one.at < from) one.at = bytes.indexOf(one.needle, from);
  }
}

/** How many bytes at the end could be the beginning of a needle. */
function longestBeginning(bytes: Buffer, needles: readonly Buffer[]): number {
  const longest = Math.max(0, ...needles.map((needle) => needle.length - 1));
  for (let length = Math.min(longest, bytes.length); length > 0; length -= 1) {
    const end = bytes.subarray(bytes.length - length);
    if (needles.some((needle) => needle.length > length && needle.subarray(0, length).equals(end)))
      return length;
  }
  return 0;
}
