import { type JsonObject, shortLine, textAt } from "../cli/json-line.ts";

/** What says most about a call, by the names that claude's tools have for it. */
const TELLING = ["command", "file_path", "notebook_path", "pattern", "url", "query", "description", "skill"];

/** A command, a path or a search, in one line. */
export function describeTool(input: JsonObject | null): string {
  for (const key of TELLING) {
    const text = textAt(input, key);
    if (text !== null && text.trim() !== "") return shortLine(text);
  }
  return input === null || Object.keys(input).length === 0 ? "" : shortLine(JSON.stringify(input));
}
