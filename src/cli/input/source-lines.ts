import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { packageRoot } from "../../wiring/folders/package-root.ts";

/**
 * A stack with the lines of the sources in place of those of the build. Read when there is something to show: Node would read
 * every source map at the start, before it is known whether anything goes wrong.
 */
export function sourceLines(stack: string): string {
  return stack.replace(/(file:[^\s()]+\.js):(\d+):(\d+)/g, (written, url: string, line, column) => {
    try {
      const file = fileURLToPath(url);
      const map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")));
      const entry = map.findEntry(Number(line) - 1, Number(column) - 1);
      if (!("originalSource" in entry)) return written;
      const source = relative(packageRoot(), resolve(dirname(file), entry.originalSource));
      return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
    } catch {
      // Not from the build, or its map is gone: the place as it is.
      return written;
    }
  });
}
