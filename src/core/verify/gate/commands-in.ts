import * as z from "zod";

const texts = z.record(z.string(), z.unknown()).catch({});
const manifestSchema = z.object({ scripts: texts, tasks: texts });

/** Files in which a project keeps the commands that its gate comes to. */
const MANIFESTS = new Set([
  ...["package.json", "composer.json", "deno.json", "makefile", "gnumakefile", "justfile", ".justfile"],
  ...["taskfile.yml", "taskfile.yaml", "taskfile.dist.yml", "tox.ini", "rakefile"],
]);

/** Settings of test tools, which name further files to load. */
const CONFIGS =
  /^(?:(?:jest|vitest|vite|ava|playwright|cypress|karma)\.conf(?:ig)?\..+|\.mocharc.*|mocha\.opts)$/;

export function holdsCommands(name: string): boolean {
  return MANIFESTS.has(name.toLowerCase()) || CONFIGS.test(name);
}

/** Each a text for a shell. What is none is read as one all the same: it names nothing then, or a file too many. */
export function commandsIn(name: string, text: string): string[] {
  if (CONFIGS.test(name)) return loadedBy(text);
  return name.endsWith(".json") ? [...commandsInJson(text), ...loadedBy(text)] : commandsInLines(text);
}

const LOADED =
  /(?:setupFiles(?:AfterEnv)?|globalSetup|globalTeardown|reporters?|require|testRunner|runner|testEnvironment)["']?\s*[:=]\s*(\[[^\]]{0,2000}\]|["'][^"'\n]*["'])/g;

/** What a test tool loads besides the tests; other paths in its settings are the project's own code. */
function loadedBy(text: string): string[] {
  return Array.from(text.matchAll(LOADED), ([, value = ""]) => value)
    .flatMap((value) => Array.from(value.matchAll(/["']([^"']+)["']/g), ([, path = ""]) => path))
    .map((path) => path.replace("<rootDir>/", ""))
    .filter((path) => /^[\w./@-]+$/.test(path))
    .map((path) => `node ${path}`);
}

function commandsInJson(text: string): string[] {
  try {
    const { scripts, tasks } = manifestSchema.parse(JSON.parse(text));
    return [scripts, tasks].flatMap((list) =>
      Object.values(list)
        .flat()
        .filter((command) => typeof command === "string"),
    );
  } catch {
    return [];
  }
}

/** Lines that are indented: recipes of a Makefile, commands of a task. And what a Makefile includes. */
function commandsInLines(text: string): string[] {
  return text
    .replaceAll(/\\\r?\n/g, " ")
    .replaceAll(/^-?s?include\s/gm, " . ")
    .split("\n")
    .filter((line) => /^\s+\S/.test(line))
    .map((line) =>
      line
        .trim()
        .replace(/^(?:-\s+)?(?:(?:cmd|commands?)\s*[:=]\s*)?/, "")
        .replace(/^[@+-]+/, "")
        .replace(/^sh\s+(["'])(.*)\1$/, "$2")
        .replace(/^(["'])(.*)\1$/, "$2")
        .replaceAll("$$", "$"),
    );
}
