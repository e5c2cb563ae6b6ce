/** The line format of git's protocol: four hex digits of length, then that many bytes less four; `0000` is a flush, `0001` stands between two parts. */

export const FLUSH = Buffer.from("0000");
const LARGEST = 65_520;

export function pktLine(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content as string);
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, "0")), bytes]);
}

/** Bytes for one band of `side-band-64k`: 1 is data, 2 is what people see as "remote: …". */
export function sideBand(band: 1 | 2, content: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < content.length; at += LARGEST - 5) {
    parts.push(pktLine(Buffer.concat([Buffer.of(band), content.subarray(at, at + LARGEST - 5)])));
  }
  return Buffer.concat(parts);
}

/** Lines up to the next flush and where the rest begins. Throws when the bytes are no such lines. */
export function readPktLines(bytes: Buffer, from = 0): { lines: Buffer[]; next: number } {
  const lines: Buffer[] = [];
  let at = from;
  while (at < bytes.length) {
    const length = Number.parseInt(bytes.toString("latin1", at, at + 4), 16);
    if (length === 0) return { lines, next: at + 4 };
    if (length === 1) {
      at += 4;
      continue;
    }
    if (!(length >= 4) || at + length > bytes.length) break;
    lines.push(bytes.subarray(at + 4, at + length));
    at += length;
  }
  throw new Error("failed to read the push: its lines are broken");
}
