/** One setting of a person's git. */
export type Setting = {
  /** Where it is written; null when that is no file. */
  readonly file: string | null;
  readonly key: string;
  readonly value: string;
};

/** What `git config -z --show-origin` prints, weakest first; without Loom's own, which have no file. */
export function parseSettings(stdout: string): Setting[] {
  const settings: Setting[] = [];
  // Pairs of fields: `file:<path>`, then the key and, on the next line, its value.
  const fields = stdout.split("\0");
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const origin = fields[index] ?? "";
    if (origin.startsWith("command line")) continue;
    const [key = "", ...value] = (fields[index + 1] ?? "").split("\n");
    settings.push({
      file: origin.startsWith("file:") ? origin.slice("file:".length) : null,
      key,
      // A key without a value means true.
      value: value.length === 0 ? "true" : value.join("\n"),
    });
  }
  return settings;
}
