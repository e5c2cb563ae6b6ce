/**
 * Lines of a `.gitattributes` file that keep a change from being seen: in diffs and pull requests, or because what is
 * committed is not what is checked out, merged or packed (T45).
 */
export function hidingLines(before: string | null, after: string, macros: ReadonlySet<string>): string[] {
  const known = new Set((before ?? "").split(/\r?\n/).map((line) => line.trim()));
  return after
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#") && !known.has(line) && hides(line, macros));
}

/** Names that stand for attributes which hide something: `[attr]quiet -diff`. */
export function hidingMacros(text: string): Set<string> {
  const macros = new Set<string>();
  for (const line of text.split(/\r?\n/)) {
    const [, name] = /^\s*\[attr\](\S+)/.exec(line) ?? [];
    if (name !== undefined && hides(line.trim(), macros)) macros.add(name);
  }
  return macros;
}

function hides(line: string, macros: ReadonlySet<string>): boolean {
  // A pattern in quotes may hold spaces, and a word in it that looks like an attribute does no harm.
  const [, ...attributes] = line.replace(/^"(?:[^"\\]|\\.)*"/, "quoted").split(/\s+/);
  return attributes.some((one) => HIDING.test(one) || macros.has(one));
}

const HIDING =
  /^(?:-diff|binary|-merge|merge=.*|filter=.*|working-tree-encoding=.*|export-ignore|export-subst|(?:linguist|gitlab)-generated(?:=(?!false$).*)?)$/;
