import { type Manifest, manifest, nameOrNull, requirementName, runtimeOf } from "./manifest.ts";
import { readToml, type Toml } from "./read-toml.ts";

export function readPyproject(text: string): Manifest {
  const toml = readToml(text);
  const libraries: string[] = [];
  const tools: string[] = [];
  for (const { section, key, texts } of toml.entries) {
    if (section === "project" && key === "dependencies") libraries.push(...texts.map(requirementName));
    if (section === "project.optional-dependencies" || section === "dependency-groups")
      tools.push(...texts.map(requirementName));
    if (section === "tool.poetry.dependencies" && key !== "python") libraries.push(key.toLowerCase());
    if (/^tool\.poetry\.(?:dev-dependencies|group\.[^.]{1,60}\.dependencies)$/.test(section))
      tools.push(key.toLowerCase());
  }
  // What is configured here is used here.
  for (const section of toml.sections) {
    const tool = /^tool\.([\w-]{1,40})/.exec(section)?.[1];
    if (tool !== undefined) tools.push(tool);
  }
  return manifest("Python", {
    name: nameOrNull(textAt(toml, "project", "name") ?? textAt(toml, "tool.poetry", "name")),
    libraries: libraries.filter((name) => name !== ""),
    tools: tools.filter((name) => name !== ""),
    runtime: runtimeOf(
      "python",
      textAt(toml, "project", "requires-python") ?? textAt(toml, "tool.poetry.dependencies", "python"),
    ),
    broken: brokenOf(toml),
  });
}

export function readPipfile(text: string): Manifest {
  const toml = readToml(text);
  return manifest("Python", {
    libraries: keysOf(toml, "packages"),
    tools: keysOf(toml, "dev-packages"),
    broken: brokenOf(toml),
  });
}

export function readCargo(text: string): Manifest {
  const toml = readToml(text);
  const libraries: string[] = [];
  const tools: string[] = [];
  for (const { section, key } of toml.entries) {
    const list = cargoList(section, libraries, tools);
    // `serde.workspace = true` is a way to write `serde = { workspace = true }`.
    list?.push(key.split(".", 1)[0] ?? key);
  }
  for (const section of toml.sections) {
    const cut = section.lastIndexOf(".");
    if (cut > 0) cargoList(section.slice(0, cut), libraries, tools)?.push(section.slice(cut + 1));
  }
  const edition = textAt(toml, "package", "edition") ?? textAt(toml, "workspace.package", "edition");
  return manifest("Cargo", {
    name: nameOrNull(textAt(toml, "package", "name")),
    libraries: libraries.filter((name) => name !== "dependencies"),
    tools,
    runtime: runtimeOf("rust edition", edition),
    broken: brokenOf(toml),
  });
}

function cargoList(section: string, libraries: string[], tools: string[]): string[] | null {
  if (/(?:^|\.)dev-dependencies$/.test(section) || /(?:^|\.)build-dependencies$/.test(section)) return tools;
  return /(?:^|\.)dependencies$/.test(section) ? libraries : null;
}

function keysOf(toml: Toml, section: string): string[] {
  return toml.entries.filter((entry) => entry.section === section).map(({ key }) => key.toLowerCase());
}

function textAt(toml: Toml, section: string, key: string): string | undefined {
  return toml.entries.find((entry) => entry.section === section && entry.key === key)?.texts[0];
}

function brokenOf({ brokenAt }: Toml): string | null {
  return brokenAt === null ? null : `is no TOML from line ${brokenAt} on`;
}
