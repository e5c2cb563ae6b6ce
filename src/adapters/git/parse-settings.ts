import type { GitCall, Setting } from "../../ports/git.ts";

export const LIST_SETTINGS: GitCall = {
  command: "config",
  options: ["--list", "-z", "--show-origin", "--includes"],
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
