import { table } from "../../table.ts";
import { plainLines } from "../../text/escape-text.ts";

/**
 * The page is built from `html` templates. Whatever is put into one is escaped unless it came out of one itself, so that
 * forgetting to escape is not possible. Plans, agents and commands wrote much of it (T19), so escapes that a terminal
 * would obey and characters that nobody sees are left out as well.
 */
export type Html = { readonly markup: string };
type Part = Html | string | number | null | readonly Part[];

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return {
    markup: strings.reduce((text, string, index) => text + toMarkup(parts[index - 1] ?? null) + string),
  };
}

function toMarkup(part: Part): string {
  if (part === null) return "";
  if (typeof part === "string" || typeof part === "number") return escapeHtml(String(part));
  return "markup" in part ? part.markup : part.map(toMarkup).join("");
}

const ENTITIES: Readonly<Record<string, string>> = table({
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
});

function escapeHtml(text: string): string {
  return plainLines(text).replace(/[&<>"']/g, (char) => ENTITIES[char] ?? "");
}

/** Plain text in which `words in backticks` are code, as people write it in plans and Loom in its sentences. */
export function prose(text: string): Html {
  const parts = text.split(/`([^`\n]+)`/);
  return {
    markup: parts
      .map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`).markup)
      .join(""),
  };
}
