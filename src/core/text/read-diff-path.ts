import { table } from "../table.ts";

/** A name in a diff as git writes it: between quotes with escapes when it holds anything unusual, otherwise bare. */
export function readDiffPath(text: string): string {
  if (!text.startsWith('"')) return text;
  return readQuoted(text)?.path ?? text;
}

type QuotedPath = { readonly path: string; readonly length: number };

const ESCAPES: Readonly<Record<string, number>> = table({ a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 });

/** Escapes stand for bytes, of which several make one character. null: it is not closed. */
function readQuoted(text: string): QuotedPath | null {
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (let at = 1; at < text.length; ) {
    const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (char === '"') {
      return { path: new TextDecoder().decode(new Uint8Array(bytes)), length: at + 1 };
    }
    if (char !== "\\") {
      bytes.push(...encoder.encode(char));
      at += char.length;
      continue;
    }
    const octal = /^[0-3][0-7]{2}/.exec(text.slice(at + 1, at + 4))?.[0];
    const next = text.charAt(at + 1);
    bytes.push(octal ? Number.parseInt(octal, 8) : (ESCAPES[next] ?? next.charCodeAt(0)) & 0xff);
    at += octal ? 4 : 2;
  }
  return null;
}

/**
 * Both names of a line `diff --git a/x b/y`, where spaces are not escaped: if they are the same, the line can be halved.
 * Otherwise it is a rename, and lines below name both. null: this line alone does not tell.
 */
export function readGitHeader(line: string): { readonly from: string; readonly to: string } | null {
  const rest = line.slice("diff --git ".length);
  if (rest.startsWith('"')) {
    const first = readQuoted(rest);
    return first ? { from: inOld(first.path), to: inNew(readDiffPath(rest.slice(first.length + 1))) } : null;
  }
  const quoted = rest.indexOf(' "');
  if (quoted !== -1) {
    return { from: inOld(rest.slice(0, quoted)), to: inNew(readDiffPath(rest.slice(quoted + 1))) };
  }
  const middle = (rest.length - 1) / 2;
  if (!Number.isInteger(middle) || rest.charAt(middle) !== " ") return null;
  const from = inOld(rest.slice(0, middle));
  const to = inNew(rest.slice(middle + 1));
  return from === to ? { from, to } : null;
}

export function inOld(path: string): string {
  return path.startsWith("a/") ? path.slice(2) : path;
}

export function inNew(path: string): string {
  return path.startsWith("b/") ? path.slice(2) : path;
}
