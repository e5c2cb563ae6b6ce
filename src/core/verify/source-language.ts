import type { CommentSyntax } from "./separate-comments.ts";

export type SourceLanguage = {
  readonly comments: CommentSyntax;
  /** What bounds a body: braces, or lines and words. */
  readonly style: "braces" | "lines";
};

const C_LIKE: CommentSyntax = {
  line: ["//"],
  block: [["/*", "*/"]],
  quotes: `"'`,
  longQuotes: ["`"],
  docStrings: false,
};
// A single quote begins a lifetime, not a text.
const RUST: CommentSyntax = { ...C_LIKE, quotes: `"`, longQuotes: [] };
const CSS: CommentSyntax = { ...C_LIKE, line: [], longQuotes: [] };
const PHP: CommentSyntax = { ...C_LIKE, line: ["//", "#"], longQuotes: [] };
const HASH: CommentSyntax = { line: ["#"], block: [], quotes: `"'`, longQuotes: [], docStrings: false };
const PYTHON: CommentSyntax = { ...HASH, longQuotes: ['"""', "'''"], docStrings: true };
const DASHES: CommentSyntax = { ...HASH, line: ["--"], block: [["/*", "*/"]] };

const BY_EXTENSION = new Map<string, SourceLanguage>();
function know(style: SourceLanguage["style"], comments: CommentSyntax, extensions: string): void {
  for (const extension of extensions.split(" ")) BY_EXTENSION.set(extension, { comments, style });
}
know(
  "braces",
  C_LIKE,
  "ts tsx mts cts js jsx mjs cjs go java kt kts scala swift dart c h cc cpp hpp cs m scss less",
);
know("braces", RUST, "rs zig");
know("braces", CSS, "css");
know("braces", PHP, "php");
know("lines", PYTHON, "py");
know("lines", HASH, "sh bash zsh rb ex exs pl");
know("lines", DASHES, "sql lua hs");

/** null for what is not program text, and for what Loom does not know. */
export function sourceLanguage(path: string): SourceLanguage | null {
  return BY_EXTENSION.get(extensionOf(path)) ?? null;
}

export function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  const dot = name.lastIndexOf(".");
  return dot > 0 ? name.slice(dot + 1) : "";
}
