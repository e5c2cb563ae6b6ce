import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** Every file below a folder, by its path with slashes. */
export function readFolder(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [relative(folder, path).split(sep).join("/"), readFileSync(path, "utf8")];
    }),
  );
}
