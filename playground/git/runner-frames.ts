const KINDS = ["stdout", "stderr", "exit", "failed"] as const;

export type FrameKind = (typeof KINDS)[number];
export type Frame = { readonly kind: FrameKind; readonly data: Buffer };

const HEAD_BYTES = 5;

/** A byte for the kind, four for the length, then the data. */
export function frame(kind: FrameKind, data: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(KINDS.indexOf(kind), 0);
  head.writeUInt32BE(data.length, 1);
  return Buffer.concat([head, data]);
}

export async function* readFrames(stream: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  let left = Buffer.alloc(0);
  for await (const chunk of stream) {
    left = left.length === 0 ? Buffer.from(chunk) : Buffer.concat([left, chunk]);
    while (left.length >= HEAD_BYTES) {
      const end = HEAD_BYTES + left.readUInt32BE(1);
      if (left.length < end) break;
      const kind = KINDS[left.readUInt8(0)];
      if (kind === undefined) throw new Error("failed to read what the runner of git says");
      yield { kind, data: left.subarray(HEAD_BYTES, end) };
      left = left.subarray(end);
    }
  }
}
