import { counted } from "../text/durations.ts";

/** GitHub's limits, in characters. Loom counts bytes, which are never fewer, so that either way of counting is kept. */
export const MAX_COMMENT = 65_536;
export const MAX_CHECK_TEXT = 65_535;

const NOTE_room = 200;

/**
 * A document of Loom's own that fits: cut between lines, because half a line could lose the escape that keeps it text,
 * and inside code blocks at any place; what was open is closed, and the cut is counted.
 */
export function cutMarkdown(text: string, maxBytes: number, note = "The check runs have the rest."): string {
  if (byteLength(text) <= maxBytes) return text;
  const open = createTracker();
  const kept: string[] = [];
  let keptChars = 0;
  let sandbox = maxBytes - NOTE_room - byteLength(note);
  for (const line of text.split("\n")) {
    const before = open.closers();
    open.pass(line);
    const needed = byteLength(line) + 1 + byteLength(open.closers().join("\n"));
    if (needed > sandbox) {
      const inCode = before.some((closer) => closer.startsWith("`"));
      const fits = inCode ? cutBytes(line, sandbox - byteLength(before.join("\n")) - 1) : "";
      // Marks without what stood behind them would close the block, and the closing line open another one.
      const part = /^ {0,3}`{3,}\s*$/.test(fits) ? "" : fits;
      if (part !== "") kept.push(part);
      keptChars += part.length;
      kept.push(...before);
      break;
    }
    kept.push(line);
    keptChars += line.length + 1;
    sandbox -= byteLength(line) + 1;
  }
  return `${kept.join("\n")}\n\n… (${[counted(text.length - keptChars, "more character"), note].join(". ").replace(/\. $/, "")})\n`;
}

export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** What is open after the lines that have passed, as the lines that close it. */
function createTracker(): { pass(line: string): void; closers(): string[] } {
  let fence = "";
  let details = 0;
  // A block of HTML lasts until an empty line, and nothing in it begins code.
  let html = false;
  return {
    pass(line) {
      html = fence === "" && line.trim() !== "" && (html || /^<\/?details>/.test(line));
      const marks = /^`{3,}/.exec(line)?.[0] ?? "";
      if (fence !== "") {
        if (marks.length >= fence.length && line.trimEnd() === marks) fence = "";
      } else if (!html && marks !== "" && !line.slice(marks.length).includes("`")) fence = marks;
      else if (line.startsWith("<details>")) details += 1;
      else if (line.startsWith("</details>")) details = Math.max(0, details - 1);
    },
    closers: () => [...(fence === "" ? [] : [fence]), ...Array<string>(details).fill("\n</details>")],
  };
}

function cutBytes(text: string, maxBytes: number): string {
  if (maxBytes <= 0) return "";
  const bytes = new TextEncoder().encode(text).subarray(0, maxBytes);
  // A character that was cut in half comes out as a replacement character.
  return new TextDecoder().decode(bytes).replace(/\ufffd$/, "");
}
