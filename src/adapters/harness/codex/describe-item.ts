import { type JsonObject, objectsAt, shortLine, textAt } from "../cli/json-line.ts";

export type ItemTool = { readonly name: string; readonly detail: string };

/** What codex does, for items that are something done; null for those that are something said. */
export function describeItem(item: JsonObject | null): ItemTool | null {
  switch (textAt(item, "type")) {
    case "command_execution":
      return { name: "shell", detail: shortLine(withoutShell(textAt(item, "command") ?? "")) };
    case "file_change": {
      const paths = objectsAt(item, "changes").map((change) => textAt(change, "path") ?? "");
      return { name: "apply_patch", detail: shortLine(paths.filter((path) => path !== "").join(", ")) };
    }
    case "mcp_tool_call": {
      const name = [textAt(item, "server"), textAt(item, "tool")].filter((part) => part !== null).join(".");
      return { name: shortLine(name) || "mcp", detail: "" };
    }
    case "web_search":
      return { name: "web_search", detail: shortLine(textAt(item, "query") ?? "") };
    default:
      return null;
  }
}

/** Codex runs each command as `/bin/bash -lc '…'`; people want to see the command. */
function withoutShell(command: string): string {
  const inner = /^\S*\/(?:ba|da|z)?sh -l?c ([\s\S]+)$/.exec(command)?.[1];
  if (inner === undefined) return command;
  const [quote] = inner;
  if (inner.length < 2 || inner.at(-1) !== quote) return inner;
  if (quote === "'") return inner.slice(1, -1).replaceAll(`'\\''`, "'");
  return quote === '"' ? inner.slice(1, -1).replace(/\\(["\\$`])/g, "$1") : inner;
}
