import { readWord } from "./read-word.ts";
import { createScan, type Scan, take } from "./shell-scan.ts";
import type { Redirection } from "./shell-script.ts";

const OPERATOR = /&>>|&>|<<<|<<-|<<|<>|<&|>>|>\||>&|<|>/y;
const BLANKS = /(?:[ \t]|\\\n)+/y;

/** The redirection at this place; null when there is none. */
export function readRedirection(scan: Scan): Redirection | null {
  const operator = take(scan, OPERATOR);
  if (operator === null) return null;
  take(scan, BLANKS);
  const word = readWord(scan);
  const target = word?.text ?? "";
  switch (operator) {
    case "<":
    case "<&":
      return { kind: "input", from: target };
    case "<<<":
      return { kind: "here-string", text: target };
    case "<<":
    case "<<-": {
      const redirection: Redirection = { kind: "here-document", body: "" };
      scan.awaited.push({
        redirection,
        delimiter: target,
        stripsTabs: operator === "<<-",
        expands: word?.bare ?? true,
      });
      return redirection;
    }
    case ">&":
      return { kind: "output", to: target };
    default:
      // A number is a file's name here.
      return { kind: "output", to: /^(?:\d+|-)$/.test(target) ? `./${target}` : target };
  }
}

/** Reads the here-documents that were announced on the line that has just ended, and what runs inside of them. */
export function readDocuments(scan: Scan, readExpansions: (scan: Scan) => void): void {
  for (const { redirection, delimiter, stripsTabs, expands } of scan.awaited.splice(0)) {
    const start = scan.at;
    let end = scan.text.length;
    while (scan.at < scan.text.length) {
      const lineEnd = scan.text.indexOf("\n", scan.at);
      const stop = lineEnd === -1 ? scan.text.length : lineEnd;
      const line = scan.text.slice(scan.at, stop);
      const from = scan.at;
      scan.at = Math.min(scan.text.length, stop + 1);
      if ((stripsTabs ? line.replace(/^\t+/, "") : line) !== delimiter) continue;
      end = from;
      break;
    }
    redirection.body = scan.text.slice(start, end);
    if (expands) readExpansions(createScan(redirection.body, scan));
  }
}
