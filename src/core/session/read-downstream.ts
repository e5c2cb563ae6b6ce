import { cutAt, shortText } from "../text/cut-text.ts";
import type { DownstreamContext } from "./downstream-context.ts";
import { type MarkedLine, plainTitle } from "./mark-lines.ts";

type Field = keyof Omit<DownstreamContext, "other">;

const MAX_ITEMS = 20;
const ITEM_CHARS = 600;
const OTHER_CHARS = 2_000;

const FIELDS: ReadonlyMap<string, Field> = new Map([
  ["key interfaces introduced", "keyInterfaces"],
  ["key interfaces", "keyInterfaces"],
  ["interfaces introduced", "keyInterfaces"],
  ["interfaces", "keyInterfaces"],
  ["patterns established", "patterns"],
  ["patterns", "patterns"],
  ["integration points", "integrationPoints"],
  ["integration point", "integrationPoints"],
  ["assumptions", "assumptions"],
  ["assumption", "assumptions"],
  ["warnings", "warnings"],
  ["warning", "warnings"],
]);

const NOTHING = /^[[(]?(?:none(?: yet| so far)?|n\/a|nothing|no|-)?[\])]?\.?$/i;
const BULLET = /^\s{0,12}(?:[-*+]|\d{1,3}[.)])\s(.*)$/;

/**
 * Fields come as bullets (`- Warnings: …`), as bold lines or as headings, with their items behind the colon, in bullets
 * below or as plain text. Whatever follows a field belongs to it until the next one begins.
 */
export function readDownstream(lines: readonly MarkedLine[]): DownstreamContext {
  const items: Record<Field, string[]> = {
    keyInterfaces: [],
    patterns: [],
    integrationPoints: [],
    assumptions: [],
    warnings: [],
  };
  const other: string[] = [];
  let field: Field | null = null;
  let goesOn = false;
  for (const line of lines) {
    const label = line.code ? null : readLabel(line);
    if (label) {
      field = label.field;
      goesOn = label.rest !== "";
      if (goesOn) items[field].push(label.rest);
    } else if (line.heading || field === null) {
      field = null;
      other.push(line.text);
    } else {
      goesOn = addLine(items[field], line, goesOn);
    }
  }
  return { ...boundAll(items), other: shortText(other.join("\n"), OTHER_CHARS) };
}

/** True when the next line may go on with this item. */
function addLine(items: string[], { text, code }: MarkedLine, goesOn: boolean): boolean {
  if (text.trim() === "" && !code) return false;
  const bullet = code ? undefined : BULLET.exec(text)?.[1];
  const last = items.length - 1;
  // A code block stands below the item that it shows, with or without an empty line between.
  if (bullet === undefined && (goesOn || code) && last >= 0) {
    items[last] += code ? `\n${text}` : ` ${text.trim()}`;
  } else {
    items.push((bullet ?? text).trim());
  }
  return true;
}

function readLabel({ text, heading }: MarkedLine): { field: Field; rest: string } | null {
  if (heading) {
    const field = FIELDS.get(heading.title);
    return field ? { field, rest: "" } : null;
  }
  const line = (BULLET.exec(text)?.[1] ?? text).trim();
  const colon = line.slice(0, 60).indexOf(":");
  const field = FIELDS.get(plainTitle(colon === -1 ? line : line.slice(0, colon)));
  if (!field) return null;
  const rest = colon === -1 ? "" : line.slice(colon + 1).replace(/^[*_]{1,3}(?=\s|$)/, "");
  return { field, rest: rest.trim() };
}

function boundAll(items: Readonly<Record<Field, readonly string[]>>): Record<Field, string[]> {
  return {
    keyInterfaces: bound(items.keyInterfaces),
    patterns: bound(items.patterns),
    integrationPoints: bound(items.integrationPoints),
    assumptions: bound(items.assumptions),
    warnings: bound(items.warnings),
  };
}

function bound(items: readonly string[]): string[] {
  const said = items.map((item) => item.trim()).filter((item) => item !== "" && !NOTHING.test(item));
  const kept = said.slice(0, MAX_ITEMS).map((item) => {
    return item.length > ITEM_CHARS ? `${cutAt(item, ITEM_CHARS - 1).trimEnd()}…` : item;
  });
  if (said.length > kept.length) kept.push(`… and ${said.length - kept.length} more`);
  return kept;
}
