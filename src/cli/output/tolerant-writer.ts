import type { OutputStream } from "./run-output.ts";

export type Write = (text: string) => void;

/**
 * Writes until the reader is gone. `loom run | head` closes the pipe after ten lines and a terminal can be hung up;
 * neither is a reason to stop a run, so the error is swallowed and so is everything after it. The listener stays for
 * good, because the error of the last write may arrive when all else is over.
 */
export function createTolerantWriter(stream: OutputStream): Write {
  let gone = false;
  stream.on("error", () => {
    gone = true;
  });
  return (text) => {
    if (gone || text === "") return;
    try {
      stream.write(text);
    } catch {
      gone = true;
    }
  };
}
