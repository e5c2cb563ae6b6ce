import { fenced } from "../../../markdown/escape-markdown.ts";
import { markdownTable } from "../../../markdown/markdown-table.ts";
import { counted } from "../../../text/durations.ts";
import { plainLines } from "../../../text/escape-text.ts";
import { sanitizeInline } from "./sanitize-inline.ts";
import { type ProseBlock, splitProse } from "./split-prose.ts";

/**
 * An agent's answer as a part of a comment of Loom's (T19). It stays readable: paragraphs, lists, small headings, quotes,
 * tables and code. It does nothing: it mentions nobody, links nowhere, closes no issue, loads no image, hides nothing and
 * commands nobody. The text is taken apart and written anew from these few forms, so that what is not known here can't
 * come through; filtering the agent's own Markdown would have to foresee all that GitHub makes of it.
 */
export function sanitizeMarkdown(text: string, maxChars: number, largestHeading = 4): string {
  const blocks = splitProse(plainLines(text.slice(0, maxChars * 4)).trim());
  const written: string[] = [];
  let sandbox = maxChars - NOTE_CHARS;
  let left = Math.max(0, text.length - maxChars * 4);
  let isFull = false;
  for (const [index, block] of blocks.entries()) {
    const whole: Written | null = isFull ? null : writeWithin(block, sandbox, largestHeading);
    if (whole === null) {
      left += block.source;
      isFull = true;
      continue;
    }
    left += whole.left;
    isFull = whole.left > 0;
    if (whole.text === "") continue;
    const between = index === 0 ? "" : isNextItem(blocks[index - 1], block) ? "\n" : "\n\n";
    written.push(written.length === 0 ? whole.text : between + whole.text);
    sandbox -= whole.text.length + 2;
  }
  const note = left > 0 ? `${written.length > 0 ? "\n\n" : ""}… (${counted(left, "more character")})` : "";
  return written.join("") + note;
}

/** For the line that says how much is missing. */
const NOTE_CHARS = 60;

/** Other words behind a fence may be drawn by GitHub instead of shown, or offered as a change. */
const LANGUAGES = new Set(
  (
    "bash c clojure cpp cs csharp css dart diff dockerfile elixir erlang go graphql groovy haskell hcl html http ini java " +
    "javascript js json json5 jsonc jsx kotlin less lua makefile markdown md nginx nix objc ocaml perl php powershell " +
    "properties proto protobuf python py r rb ruby rust rs sass scala scss sh shell sql svelte swift terraform toml ts tsx " +
    "typescript vue xml yaml yml zig zsh"
  ).split(" "),
);

/** Items of one list stand close together. */
function isNextItem(before: ProseBlock | undefined, block: ProseBlock): boolean {
  return before?.kind === "item" && block.kind === "item" && !block.apart;
}

type Written = { readonly text: string; readonly left: number };

/** As much of a block as fits; null: nothing of it. */
function writeWithin(
  block: ProseBlock,
  sandbox: number,
  largestHeading: number,
): { readonly text: string; readonly left: number } | null {
  let kept = block.text.length;
  // What is written is longer than what was read, by how much only writing tells.
  for (let tries = 0; tries < 12 && kept > 0; tries += 1) {
    const text = write(
      block,
      kept === block.text.length ? block.text : cut(block.text, kept),
      largestHeading,
    );
    if (text.length <= sandbox) return { text, left: block.text.length - kept };
    if (block.kind === "table" || block.kind === "heading") return null;
    kept = Math.min(Math.floor(kept / 2), Math.max(0, sandbox));
  }
  return block.text === "" ? { text: "", left: 0 } : null;
}

function write(block: ProseBlock, text: string, largestHeading: number): string {
  switch (block.kind) {
    case "code": {
      const info = LANGUAGES.has(block.info) ? block.info : "text";
      // The breaks that it puts in make it longer; nothing is to be cut here.
      return fenced(text, { maxChars: text.length * 2 + 1, info });
    }
    case "table": {
      const [head = [], ...rows] = block.rows.map((cells) =>
        cells.map((cell) => sanitizeInline(cell) || " "),
      );
      return markdownTable(head, rows);
    }
    case "heading":
      return lead("#".repeat(Math.max(largestHeading, block.level)), sanitizeInline(text));
    case "quote":
      return lead(">", sanitizeInline(text));
    case "item":
      return lead(" ".repeat(block.indent) + block.mark, sanitizeInline(text));
    case "paragraph":
      return lead(" ".repeat(block.indent), sanitizeInline(text), "");
  }
}

/** A mark with nothing behind it could be the underline of what stands above. */
function lead(mark: string, text: string, space = " "): string {
  return text === "" ? "" : mark + space + text;
}

function cut(text: string, chars: number): string {
  return text.slice(0, chars).replace(/[\ud800-\udbff]$/, "");
}
