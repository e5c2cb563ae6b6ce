import { type JsonObject, shortLine, textAt } from "./json-line.ts";

/** A command, a path or a search, in one line: the first of the names in `telling` that says something, else all of it. */
export function describeInput(input: JsonObject | null, telling: readonly string[]): string {
  for (const key of telling) {
    const said = textAt(input, key);
    if (said !== null && said.trim() !== "") return shortLine(said);
  }
  return input === null || Object.keys(input).length === 0 ? "" : shortLine(JSON.stringify(input));
}
