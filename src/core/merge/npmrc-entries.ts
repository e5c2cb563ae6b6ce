export type NpmrcEntry = { readonly section: string; readonly key: string; readonly value: string };

/**
 * What npm takes out of an `.npmrc`. It follows npm's own reader, the package `ini`, step by step: a name in quotes is
 * JSON, a carriage return ends a line, a value can be missing, `;` and `#` begin a comment unless they are escaped.
 */
export function npmrcEntries(text: string): NpmrcEntry[] {
  const entries: NpmrcEntry[] = [];
  let section = "";
  for (const line of text.split(/[\r\n]+/)) {
    if (/^\s*(?:[;#]|$)/.test(line)) continue;
    const header = /^\[([^\]]*)\]\s*$/.exec(line);
    if (header) {
      section = meant(header[1] ?? "");
      continue;
    }
    const equals = line.indexOf("=");
    // Without a name there is no setting.
    if (equals === 0) continue;
    const key = meant(equals < 0 ? line : line.slice(0, equals)).replace(/(?<=.)\[\]$/, "");
    entries.push({ section, key, value: equals < 0 ? "true" : meant(line.slice(equals + 1)) });
  }
  return entries;
}

function meant(raw: string): string {
  const text = raw.trim();
  if (!/^(?:".*"|'.*'|["'])$/s.test(text)) return withoutComment(text);
  const inner = text.startsWith("'") ? text.slice(1, -1) : text;
  try {
    return String(JSON.parse(inner));
  } catch {
    return inner;
  }
}

function withoutComment(text: string): string {
  let kept = "";
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === ";" || char === "#") break;
    const next = text.charAt(at + 1);
    if (char === "\\" && next !== "" && "\\;#".includes(next)) {
      kept += next;
      at += 1;
    } else kept += char;
  }
  return kept.trim();
}
