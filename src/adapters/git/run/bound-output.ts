/**
 * Ends a git command that prints more entries than anybody wants, while it prints them: a work tree with hundreds of
 * thousands of files must not fill Loom's memory with their names (T45).
 */
export type BoundOutput = {
  readonly signal: AbortSignal;
  watch(out: NodeJS.ReadableStream): void;
  /** What was printed until the end was put to it; null when there was no need to. */
  text(): string | null;
};

const NUL = 0;

export function boundOutput(entries: number): BoundOutput {
  const stop = new AbortController();
  const chunks: Buffer[] = [];
  let left = entries;
  return {
    signal: stop.signal,
    watch(out) {
      out.on("data", (chunk: Buffer) => {
        if (stop.signal.aborted) return;
        chunks.push(chunk);
        for (let at = chunk.indexOf(NUL); at >= 0; at = chunk.indexOf(NUL, at + 1)) left -= 1;
        if (left < 0) stop.abort();
      });
    },
    text: () => (stop.signal.aborted ? Buffer.concat(chunks).toString("utf8") : null),
  };
}
