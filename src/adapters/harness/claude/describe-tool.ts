import { describeInput } from "../cli/describe-input.ts";
import type { JsonObject } from "../cli/json-line.ts";

/** What says most about a call, by the names that claude's tools have for it. */
const TELLING = ["command", "file_path", "notebook_path", "pattern", "url", "query", "description", "skill"];

export function describeTool(input: JsonObject | null): string {
  return describeInput(input, TELLING);
}
