import { code } from "../markdown/escape-markdown.ts";
import { counted } from "../text/durations.ts";
import type { CodebaseMap, Counted, Outline, Package } from "./codebase-map.ts";

/**
 * The map in Markdown, for a model and for people. Whatever comes from the repository stands between backticks, where it
 * can do nothing.
 */
export function renderCodebaseMap(map: CodebaseMap): string {
  const sections = [
    section("Signals", signalLines(map)),
    section("Architecture", architectureLines(map)),
    section("Stack", stackLines(map)),
    section("Conventions", conventionLines(map)),
    section(
      "Concerns",
      map.concerns.map((concern) => `- ${concern}`),
    ),
  ];
  const intro = "Facts from the files of one commit. Nothing was run, and nothing is judged.";
  return ["# Codebase map", "", intro, ...sections.flat()].join("\n").concat("\n");
}

/** The map as one JSON object; names are as they stand in the repository. */
export function codebaseMapJson(map: CodebaseMap): Readonly<Record<string, unknown>> {
  return { version: 1, ...map };
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ["", `## ${title}`, "", ...lines];
}

function signalLines({ signals }: CodebaseMap): string[] {
  const { tests, packages } = signals;
  return [
    `- Files: ${signals.files} in ${counted(signals.folders, "folder")}, at most ${signals.depth} deep`,
    ...line(
      "Languages by files",
      signals.languages.map(({ name, files }) => `${name} ${files}`),
    ),
    `- Tests: ${[testCount(tests), ...tests.runners].join(", ")}`,
    ...line("Build tools", signals.buildTools),
    ...line("Package managers", signals.packageManagers),
    ...line("CI", signals.ci),
    ...(packages.count > 1
      ? [`- Packages: ${packages.count}: ${packages.first.map(packageName).join(", ")}${more(packages)}`]
      : []),
    ...line("Largest folders, by files directly in them", signals.largestFolders.map(folderName)),
  ];
}

function testCount({ files, inFolders }: CodebaseMap["signals"]["tests"]): string {
  if (files === 0) return "none found";
  if (inFolders === files) return `${counted(files, "file")} in folders of their own`;
  if (inFolders === 0) return `${counted(files, "file")} beside the code`;
  return `${files} files (${inFolders} in folders of their own, ${files - inFolders} beside the code)`;
}

function packageName({ folder, name }: Package): string {
  const place = folder === "" ? "the root" : code(folder);
  return name === null ? place : `${place} (${code(name)})`;
}

function more({ count, first }: CodebaseMap["signals"]["packages"]): string {
  return count > first.length ? ` and ${count - first.length} more` : "";
}

function folderName({ name, files }: Counted): string {
  return `${name === "" ? "the root" : code(name)} ${files}`;
}

function architectureLines({ architecture }: CodebaseMap): string[] {
  return [
    ...architecture.outline.map(outlineLine),
    ...line(
      "Entry points, by their names",
      architecture.entryPoints.map((path) => code(path)),
    ),
  ];
}

function outlineLine({ name, files, folders }: Outline): string {
  const inside = folders.map((one) => `${code(one.name)} ${one.files}`).join(", ");
  return `- ${code(`${name}/`)} ${counted(files, "file")}${inside === "" ? "" : `: ${inside}`}`;
}

function stackLines({ stack }: CodebaseMap): string[] {
  return [
    ...line(
      "Asked for",
      stack.runtimes.map((runtime) => code(runtime)),
    ),
    ...line("Frameworks", stack.frameworks),
    ...stack.libraries.map(({ ecosystem, count, names }) => {
      const rest = count > names.length ? ` and ${count - names.length} more` : "";
      return `- Libraries (${ecosystem}): ${names.map((name) => code(name)).join(", ")}${rest}`;
    }),
  ];
}

function conventionLines({ conventions }: CodebaseMap): string[] {
  return [
    ...line("Formatters", conventions.formatters),
    ...line("Linters", conventions.linters),
    ...line("Type checkers", conventions.typeCheckers),
    ...line("Modules", conventions.moduleSystems),
    ...line("Hooks and releases", conventions.hooks),
    ...line(
      "Documents",
      conventions.documents.map((path) => code(path)),
    ),
    ...conventions.commands.map(
      ({ run, does }) => `- ${code(run)}${does === "" ? "" : ` runs ${code(does)}`}`,
    ),
    ...line(
      "CI runs",
      conventions.ciCommands.map((command) => code(command)),
    ),
  ];
}

function line(title: string, values: readonly string[]): string[] {
  return values.length === 0 ? [] : [`- ${title}: ${values.join(", ")}`];
}
