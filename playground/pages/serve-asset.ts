import { existsSync, readFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { dirname, join } from "node:path";
import { table } from "../table.ts";
import { labelColorRules } from "./parts/labels.ts";

const TYPES: Readonly<Record<string, string>> = table({
  "playground.js": "text/javascript; charset=utf-8",
  "icon.svg": "image/svg+xml",
});

/** Later ones may overrule earlier ones; the narrow screen has the last word. */
const STYLES = [
  "base",
  "header",
  "parts",
  "forms",
  "rows",
  "threads",
  "conversations",
  "merge-box",
  "checks",
  "code",
  "markdown",
  "narrow",
];

/** Below /assets/ there are a script, a picture and two stylesheets, one of them made to measure; false for all else. */
export function serveAsset(url: URL, response: ServerResponse): boolean {
  const name = /^\/assets\/([\w.-]+)$/.exec(url.pathname)?.[1];
  if (name === undefined) return false;
  if (name === "label-colors.css") {
    answer(
      response,
      "text/css; charset=utf-8",
      labelColorRules(url.searchParams.get("c") ?? ""),
      "max-age=86400",
    );
    return true;
  }
  if (name === "playground.css") {
    const sheets = STYLES.map((sheet) => readFileSync(join(assetFolder(), "styles", `${sheet}.css`), "utf8"));
    answer(response, "text/css; charset=utf-8", sheets.join("\n"), "no-cache");
    return true;
  }
  const type = TYPES[name];
  if (type === undefined) return false;
  answer(response, type, readFileSync(join(assetFolder(), name), "utf8"), "no-cache");
  return true;
}

/** The compiler copies no stylesheets, so the built playground reads those of the sources. */
function assetFolder(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const here = join(folder, "playground/pages/assets");
    if (existsSync(join(here, "playground.js"))) return here;
    if (dirname(folder) === folder)
      throw new Error("failed to find playground/pages/assets beside the program");
  }
}

function answer(response: ServerResponse, type: string, text: string, caching: string): void {
  response.writeHead(200, {
    "content-type": type,
    "cache-control": caching,
    "x-content-type-options": "nosniff",
  });
  response.end(text);
}
