/**
 * Pages are built from `html` templates. Whatever is put into one is escaped unless it came out of one itself, so that
 * forgetting to escape is not possible; `trustHtml` is the only other way in and is used where we made the markup.
 */
export type Html = { readonly markup: string };

type Piece = Html | string | number | null | undefined | false | readonly Piece[];

export function html(parts: TemplateStringsArray, ...values: Piece[]): Html {
  let markup = parts[0] ?? "";
  values.forEach((value, index) => {
    markup += renderPiece(value) + (parts[index + 1] ?? "");
  });
  return { markup };
}

export function trustHtml(markup: string): Html {
  return { markup };
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}

function renderPiece(value: Piece): string {
  if (value === null || value === undefined || value === false) return "";
  if (typeof value === "string") return escapeHtml(value);
  if (typeof value === "number") return String(value);
  if (isList(value)) return value.map(renderPiece).join("");
  return value.markup;
}

function isList(value: Html | readonly Piece[]): value is readonly Piece[] {
  return Array.isArray(value);
}
