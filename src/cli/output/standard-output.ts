import { fstatSync, writeSync } from "node:fs";
import { Writable } from "node:stream";
import type { WriteStream } from "node:tty";
import type { OutputStream } from "./run-output.ts";

export type StandardOutput = {
  readonly stream: OutputStream;
  /** Once all is written, or can't be: what is in the way. null: nothing, or the reader left, which is their right. */
  settle(): Promise<Error | null>;
};

/** Nobody who writes to standard output has to stop when it fails; whether it did is asked at the end. */
export function openStandardOutput(given: WriteStream & { fd: number }): StandardOutput {
  const stream = fstatSync(given.fd).isFile() ? fileStream(given.fd) : given;
  let trouble: Error | null = null;
  // A service's log goes to the process's own stream.
  for (const one of new Set([stream, given])) {
    one.on("error", (error: Error) => {
      if (!isReaderGone(error, given.isTTY)) trouble ??= error;
    });
  }
  return {
    stream,
    async settle() {
      await new Promise<void>((done) => stream.write("", () => done()));
      return trouble;
    },
  };
}

/** As in `loom runs | head`, or a terminal that was hung up. */
function isReaderGone(error: NodeJS.ErrnoException, isTerminal: boolean): boolean {
  return error.code === "EPIPE" || error.code === "ECONNRESET" || (isTerminal && error.code === "EIO");
}

/** Node writes to a file once and never asks how much was taken: a disk that gets full would cut a result off in silence. */
function fileStream(fd: number): Writable {
  return new Writable({
    write(bytes: Buffer, _encoding, done) {
      try {
        for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
        done();
      } catch (error) {
        done(error as Error);
      }
    },
  });
}
