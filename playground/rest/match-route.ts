import type { Method, Route } from "./call.ts";

/** These may contain slashes, encoded or plain. */
const LONG = new Set(["ref", "path", "branch", "basehead"]);

export type Matched = { readonly route: Route; readonly params: Record<string, string> };

/** Finds the route of a path below the API prefix. The most exact template wins. */
export function createRouter(routes: readonly Route[]): (method: string, path: string) => Matched | null {
  const table = routes.map((route) => ({ route, ...compile(route.path) }));
  table.sort((one, other) => other.weight - one.weight);
  return (method, path) => {
    for (const { route, pattern, names } of table) {
      if (route.method !== (method as Method)) continue;
      const found = pattern.exec(path);
      if (!found) continue;
      const params = names.map((name, at) => [name, decode(found[at + 1] ?? "")]);
      return { route, params: Object.fromEntries(params) };
    }
    return null;
  };
}

function compile(template: string): { pattern: RegExp; names: string[]; weight: number } {
  const names: string[] = [];
  const parts = template.split("/").slice(1);
  const source = parts.map((part) => {
    const name = /^\{(.+)\}$/.exec(part)?.[1];
    if (name === undefined) return `/${part.replaceAll(/[.+]/g, "\\$&")}`;
    names.push(name);
    if (name === "path") return "(?:/(.*))?";
    return LONG.has(name) ? "/(.+)" : "/([^/]+)";
  });
  const literals = parts.filter((part) => !part.startsWith("{")).length;
  return { pattern: new RegExp(`^${source.join("")}$`), names, weight: parts.length * 10 + literals };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
