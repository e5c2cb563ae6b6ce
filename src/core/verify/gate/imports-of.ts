import { extensionOf } from "../source-language.ts";
import { resolvePath } from "./resolve-path.ts";

/** Longer texts name no file. */
const QUOTED = /(["'`])([\w@./+ -]{1,200})\1/g;
const PYTHON_IMPORT =
  /^[ \t]*(?:from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+([\w, \t]+)|import[ \t]+([\w., \t]+))/gm;

const ENDINGS = [
  ...["", ".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".jsx", ".tsx", ".json", "/index.js", "/index.ts"],
  ...["/index.mjs", "/index.cjs", ".py", "/__init__.py", ".rb", ".php", ".pl", ".pm", ".lua", ".sh"],
];

/**
 * Files of the base that a script names: modules that it loads, and what it reads or starts. Every quoted text that is the
 * path of a file counts, seen from the script's folder and from the root; a path that is put together while the script
 * runs is not found.
 */
export function importsOf(path: string, text: string, files: ReadonlySet<string>): string[] {
  const folder = path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : ".";
  const found = new Set<string>();
  const look = (from: string, name: string): void => {
    const whole = resolvePath(from, name);
    if (whole === null) return;
    // TypeScript is imported by the name of what it becomes.
    for (const start of new Set([whole, whole.replace(/\.([cm]?)js$/, ".$1ts")]))
      for (const ending of ENDINGS) if (files.has(`${start}${ending}`)) found.add(`${start}${ending}`);
  };
  for (const [, , name = ""] of text.matchAll(QUOTED)) for (const from of [folder, "."]) look(from, name);
  if (extensionOf(path) === "py")
    for (const name of pythonModules(text)) for (const from of [folder, "."]) look(from, name);
  found.delete(path);
  return [...found];
}

/** As paths: `from .a.b import c` is `./a/b` or `./a/b/c`. */
function pythonModules(text: string): string[] {
  return Array.from(text.matchAll(PYTHON_IMPORT)).flatMap(([, from, names = "", modules = ""]) => {
    if (from === undefined) return modules.split(",").map((one) => asPath(one.trim().split(/\s/)[0] ?? ""));
    const start = asPath(from);
    return [start, ...names.split(",").map((one) => `${start}/${one.trim().split(/\s/)[0] ?? ""}`)];
  });
}

function asPath(module: string): string {
  const [dots = ""] = /^\.*/.exec(module) ?? [];
  const up = dots.length > 1 ? "../".repeat(dots.length - 1) : "";
  return `${up}${module.slice(dots.length).replaceAll(".", "/")}` || ".";
}
