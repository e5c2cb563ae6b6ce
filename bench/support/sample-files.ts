/** A small project's worth of files, so that checking them out costs what it costs. */
export function sampleFiles(count = 200): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `part-${n % 20}/file-${n}.txt`,
      `line of file ${n}\n`.repeat(60),
    ]),
  );
}
