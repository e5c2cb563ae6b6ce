import type { Lay } from "./lay.ts";

type Section = { readonly name: string; readonly text: string };

/**
 * For files of named sections: the base's, but for the sections that only say what a package is and needs. These are
 * listed, and all others are the gate's, because a test tool may read any section that it likes.
 */
export function laySections(needs: RegExp, syntax: "toml" | "ini"): Lay {
  return (base, commit) => {
    if (commit === null) return base;
    const before = base === null ? [] : split(base, syntax);
    const after = split(commit, syntax);
    if (before === null || after === null) return base;
    const ours = before.filter(({ name }) => !needs.test(name));
    const theirs = after.filter(({ name }) => !needs.test(name));
    const kept = after.filter(({ name }) => needs.test(name));
    // Pytest loads whatever a package registers under this name, wherever the package says so.
    const plugs = (sections: readonly Section[]): boolean =>
      sections.some(({ text }) => text.includes("pytest11"));
    if (plugs(kept) && !plugs(before)) return base;
    if (kept.some(({ text }) => movesTool(text, base ?? ""))) return base;
    if (joined(ours) === joined(theirs)) return commit;
    const laid = joined([...ours, ...kept]);
    return laid === "" ? null : `${laid}\n`;
  };
}

const ELSEWHERE =
  /^[ \t]*["']?([\w.-]+)["']?[ \t]*(?:=[^\n]*\b(?:path|git|url|package|workspace)[ \t]*=|[^\n"']*@[ \t]*(?:file|git|https?)\b)/;
const LONGEST_LINE = 1_000;
const SOURCED_HEADER = /^[ \t]*\[[^\]\n]*\.["']?([\w.-]+)["']?\]/;

/** A name that the base has must not come to mean a folder or an address of the commit's: it could be the test runner. */
function movesTool(text: string, base: string): boolean {
  const before = new Set(base.split("\n").map((line) => line.trim()));
  const known = new Set(base.toLowerCase().match(/[\w.-]+/g));
  let table = "";
  return text.split("\n").some((line) => {
    table = SOURCED_HEADER.exec(line.slice(0, LONGEST_LINE))?.[1] ?? table;
    if (before.has(line.trim())) return false;
    // Nobody writes such a line, and to read it could take the square of its length.
    if (line.length > LONGEST_LINE) return true;
    const isSource = /^[ \t]*(?:path|git|url)[ \t]*=/.test(line);
    const name = isSource ? table : (ELSEWHERE.exec(line)?.[1] ?? "");
    return name !== "" && known.has(name.toLowerCase());
  });
}

function joined(sections: readonly Section[]): string {
  return sections
    .map(({ text }) => text.trim())
    .filter((text) => text !== "")
    .join("\n\n");
}

/** null: the text does not come to an end as it should, so that nobody can say which section a line belongs to. */
function split(text: string, syntax: "toml" | "ini"): Section[] | null {
  const sections: { name: string; text: string }[] = [{ name: "", text: "" }];
  let open: Open = { quote: null, depth: 0 };
  for (const line of text.split("\n")) {
    const isBetween = open.quote === null && open.depth === 0;
    const name = isBetween ? headerOf(line, syntax) : null;
    if (name !== null) sections.push({ name, text: "" });
    else if (syntax === "toml") open = read(line, open);
    const last = sections.at(-1);
    if (last) last.text += `${line}\n`;
  }
  return open.quote === null && open.depth === 0 ? sections : null;
}

function headerOf(line: string, syntax: "toml" | "ini"): string | null {
  const header =
    syntax === "toml"
      ? /^[ \t]*\[\[?([^[\]]+)\]\]?[ \t\r]*(?:#.*)?$/.exec(line)?.[1]
      : /^\[([^\]]+)\]/.exec(line)?.[1];
  return header === undefined ? null : header.replaceAll(/["' \t]/g, "").toLowerCase();
}

/** What goes on in the next line: a text in three quotes, or a list. */
type Open = { readonly quote: string | null; readonly depth: number };

function read(line: string, { quote, depth }: Open): Open {
  let inside = quote;
  let level = depth;
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at] ?? "";
    if (inside !== null) {
      if (char === "\\" && inside.startsWith('"')) at += 1;
      else if (line.startsWith(inside, at)) {
        at += inside.length - 1;
        inside = null;
      }
    } else if (char === "#") break;
    else if (char === '"' || char === "'") {
      inside = line.startsWith(char.repeat(3), at) ? char.repeat(3) : char;
      at += inside.length - 1;
    } else if (char === "[" || char === "{") level += 1;
    else if (char === "]" || char === "}") level = Math.max(0, level - 1);
  }
  // A text in single quotes ends with its line, whether somebody closed it or not.
  return { quote: inside?.length === 3 ? inside : null, depth: level };
}
