import { ownValue } from "../table.ts";

/**
 * A document from its template. All places are filled in one pass, so that nothing in a value is taken for a place; a
 * section whose places all came out empty is left out with its heading.
 */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  const sections = template
    .replace(/\r\n?/g, "\n")
    .trim()
    .split(/\n(?=## )/);
  const filled = sections.flatMap((section) => {
    const places = [...section.matchAll(PLACE)].map(([, name = ""]) => ownValue(values, name) ?? "");
    if (section.startsWith("## ") && places.length > 0 && places.every((value) => value === "")) return [];
    return [section.replace(PLACE, (_, name: string) => ownValue(values, name) ?? "").trimEnd()];
  });
  return `${filled.join("\n\n")}\n`;
}

const PLACE = /\{\{([a-z_]{1,40})\}\}/g;

/** A text between quotes that YAML and JSON read alike. */
export function quotedYaml(text: string | null): string {
  return text === null ? "null" : JSON.stringify(text);
}
