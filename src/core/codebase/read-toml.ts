/**
 * As much of TOML as a map needs: which keys stand in which section, and the texts in their values. Line by line and
 * without a tree, so that nothing in a manifest can make it slow.
 */
export type Toml = {
  readonly entries: readonly TomlEntry[];
  readonly sections: readonly string[];
  /** The first line that is none of TOML, counted from 1. */
  readonly brokenAt: number | null;
};
export type TomlEntry = { readonly section: string; readonly key: string; readonly texts: readonly string[] };

type Open = { texts: string[]; depth: number; until: string | null; line: number };

export function readToml(text: string): Toml {
  const entries: TomlEntry[] = [];
  const sections: string[] = [];
  let section = "";
  let open: Open | null = null;
  let brokenAt: number | null = null;
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.trim();
    if (open) {
      readValue(line, open);
    } else if (line === "" || line.startsWith("#")) {
      continue;
    } else if (line.startsWith("[")) {
      section = unquoted(line.slice(line.lastIndexOf("[", 1) + 1, Math.max(1, line.indexOf("]"))));
      sections.push(section);
      if (!line.includes("]")) brokenAt ??= index + 1;
    } else {
      const equals = line.indexOf("=");
      if (equals < 1) {
        brokenAt ??= index + 1;
        continue;
      }
      open = { texts: [], depth: 0, until: null, line: index + 1 };
      entries.push({ section, key: unquoted(line.slice(0, equals)), texts: open.texts });
      readValue(line.slice(equals + 1), open);
    }
    if (open && open.depth <= 0 && open.until === null) open = null;
  }
  if (open) brokenAt ??= open.line;
  return { entries, sections, brokenAt };
}

/** Takes the texts out of one line of a value, and follows brackets and long texts over several. */
function readValue(line: string, open: Open): void {
  let at = 0;
  while (at < line.length) {
    if (open.until !== null) {
      const end = line.indexOf(open.until, at);
      if (end === -1) return;
      at = end + open.until.length;
      open.until = null;
      continue;
    }
    const char = line[at] ?? "";
    if (char === "#") return;
    if (char === '"' || char === "'") {
      const long = char.repeat(3);
      if (line.startsWith(long, at)) {
        open.until = long;
        at += 3;
        continue;
      }
      const end = endOfText(line, at, char);
      open.texts.push(line.slice(at + 1, end));
      at = end + 1;
      continue;
    }
    if (char === "[" || char === "{") open.depth += 1;
    if (char === "]" || char === "}") open.depth -= 1;
    at += 1;
  }
}

function endOfText(line: string, start: number, quote: string): number {
  for (let at = start + 1; at < line.length; at += 1) {
    if (line[at] === "\\" && quote === '"') at += 1;
    else if (line[at] === quote) return at;
  }
  return line.length;
}

function unquoted(key: string): string {
  return key.replaceAll('"', "").replaceAll("'", "").trim();
}
