/** What strangers send is looked at with patience: whatever is missing reads as nothing. */
export type Json = Readonly<Record<string, unknown>>;

export function object(value: unknown): Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

export function list(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(object) : [];
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function number(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

/** The text of a content field: a string, or parts of which some have a `text`. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  return list(content)
    .map((part) => text(part.text))
    .filter((part) => part !== "")
    .join("\n");
}

export function parseJson(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return null;
  }
}
