import type { Manifest } from "./manifest.ts";
import type { Survey } from "./survey-paths.ts";

type Command = { readonly run: string; readonly does: string };

const MOST = 16;
/** Those that prove or build something come first: a plan needs them. */
const WANTED =
  /^(?:test|tests|check|verify|lint|build|typecheck|type-check|types|format|fmt|ci|e2e|dev|start)\b/;
const TARGET = /^([A-Za-z][\w.-]{0,40}):(?!=)/;

/** What the root's manifest and make file offer to run. */
export function offeredCommands(
  survey: Survey,
  contents: ReadonlyMap<string, string>,
  manifests: ReadonlyMap<string, Manifest>,
): Command[] {
  const runner = scriptRunner(survey);
  const scripts = (manifests.get("package.json")?.commands ?? []).map(({ name, does }) => ({
    name,
    does,
    run: `${runner} ${name}`,
  }));
  const targets = [...contents]
    .filter(([path]) => path.toLowerCase() === "makefile" || path.toLowerCase() === "justfile")
    .flatMap(([path, text]) => {
      const program = path.toLowerCase() === "makefile" ? "make" : "just";
      return targetsOf(text).map((name) => ({ name, run: `${program} ${name}`, does: "" }));
    });
  const all = [...scripts, ...targets];
  const wanted = all.filter(({ name }) => WANTED.test(name));
  const others = all.filter(({ name }) => !WANTED.test(name));
  return [...wanted, ...others].slice(0, MOST).map(({ run, does }) => ({ run, does }));
}

function scriptRunner({ facts }: Survey): string {
  const managers = facts.get("manager");
  if (managers?.has("pnpm")) return "pnpm run";
  if (managers?.has("Yarn")) return "yarn run";
  return managers?.has("Bun") && !managers.has("npm") ? "bun run" : "npm run";
}

function targetsOf(text: string): string[] {
  const names = text.split("\n").flatMap((line) => TARGET.exec(line)?.[1] ?? []);
  return [...new Set(names)];
}
