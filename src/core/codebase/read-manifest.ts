import { type Manifest, manifest, nameOrNull, requirementName, runtimeOf } from "./manifest.ts";
import { readCargo, readPipfile, readPyproject } from "./read-toml-manifests.ts";

/** What a manifest tells, by its name; null when it is none that can be read. Never throws. */
export function readManifest(path: string, text: string): Manifest | null {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (/^requirements/.test(path.toLowerCase()) && name.endsWith(".txt")) return readRequirements(text);
  if (/\.(?:cs|fs|vb)proj$/.test(name)) return readProject(text);
  return READERS.get(name)?.(text) ?? null;
}

const READERS: ReadonlyMap<string, (text: string) => Manifest> = new Map([
  ["package.json", readPackage],
  ["composer.json", readComposer],
  ["pyproject.toml", readPyproject],
  ["pipfile", readPipfile],
  ["requirements.txt", readRequirements],
  ["cargo.toml", readCargo],
  ["go.mod", readGoModule],
  ["gemfile", readGemfile],
  ["pom.xml", readPom],
  ["build.gradle", readGradle],
  ["build.gradle.kts", readGradle],
  ["pubspec.yaml", readPubspec],
  ["mix.exs", readMix],
  ["package.swift", readSwift],
]);

function readPackage(text: string): Manifest {
  const json = parseObject(text);
  if (!json) return manifest("npm", { broken: "is not a JSON object" });
  const engines = objectOf(json.engines);
  return manifest("npm", {
    name: nameOrNull(json.name),
    libraries: [...Object.keys(objectOf(json.dependencies)), ...Object.keys(objectOf(json.peerDependencies))],
    tools: Object.keys(objectOf(json.devDependencies)),
    runtime: runtimeOf("node", engines.node),
    moduleSystem: json.type === "module" ? "ES modules" : json.type === "commonjs" ? "CommonJS" : null,
    commands: Object.entries(objectOf(json.scripts)).flatMap(([name, does]) =>
      typeof does === "string" && nameOrNull(name) !== null ? [{ name, does }] : [],
    ),
  });
}

function readComposer(text: string): Manifest {
  const json = parseObject(text);
  if (!json) return manifest("Composer", { broken: "is not a JSON object" });
  const required = objectOf(json.require);
  const isLibrary = (name: string): boolean => name.includes("/");
  return manifest("Composer", {
    name: nameOrNull(json.name),
    libraries: Object.keys(required).filter(isLibrary),
    tools: Object.keys(objectOf(json["require-dev"])).filter(isLibrary),
    runtime: runtimeOf("php", required.php),
  });
}

function readRequirements(text: string): Manifest {
  return manifest("Python", { libraries: text.split("\n").map(requirementName) });
}

function readGoModule(text: string): Manifest {
  const libraries: string[] = [];
  let name: string | null = null;
  let runtime: string | null = null;
  let inRequire = false;
  for (const raw of text.split("\n")) {
    const [first = "", second = ""] = raw.trim().split(/\s+/, 2);
    const isIndirect = raw.includes("// indirect");
    if (inRequire && first === ")") inRequire = false;
    else if (inRequire && !isIndirect) libraries.push(first);
    else if (first === "require" && second === "(") inRequire = true;
    else if (first === "require" && !isIndirect) libraries.push(second);
    else if (first === "module") name = nameOrNull(second);
    else if (first === "go") runtime = runtimeOf("go", second);
  }
  return manifest("Go", { name, libraries, runtime });
}

function readGemfile(text: string): Manifest {
  return manifest("RubyGems", { libraries: found(text, /^[ \t]*gem[ \t(]+["']([^"'\n]{1,100})["']/gm) });
}

function readPom(text: string): Manifest {
  const libraries: string[] = [];
  for (const block of ["dependency", "parent"]) {
    const [opening, closing] = [`<${block}>`, `</${block}>`];
    for (let start = text.indexOf(opening); start !== -1; start = text.indexOf(opening, start + 1)) {
      const end = text.indexOf(closing, start);
      if (end === -1) return manifest("Maven", { libraries, broken: `has a <${block}> without its end` });
      const inside = text.slice(start, Math.min(end, start + 2_000));
      libraries.push(...found(inside, /<artifactId>([^<]{1,120})<\/artifactId>/g).slice(0, 1));
    }
  }
  return manifest("Maven", { libraries });
}

function readGradle(text: string): Manifest {
  return manifest("Gradle", {
    libraries: [
      ...found(text, /["'][\w.-]{1,100}:([\w.-]{1,100})(?::[^"'\n]{0,60})?["']/g),
      ...found(text, /\bid[ (]{1,3}["']([\w.-]{1,100})["']/g),
    ],
  });
}

function readProject(text: string): Manifest {
  return manifest("NuGet", {
    libraries: found(text, /<PackageReference[ \t]{1,4}Include="([^"\n]{1,120})"/g),
    runtime: found(text, /<TargetFramework>([^<]{1,30})<\/TargetFramework>/g)[0] ?? null,
  });
}

function readPubspec(text: string): Manifest {
  const sections = new Map<string, string[]>();
  let section = "";
  for (const line of text.split("\n")) {
    const top = /^([a-z_]{1,40}):/.exec(line)?.[1];
    if (top !== undefined) section = top;
    const key = /^ {2}([a-z0-9_]{1,80}):/.exec(line)?.[1];
    if (key !== undefined) sections.set(section, [...(sections.get(section) ?? []).slice(-500), key]);
  }
  return manifest("pub", {
    name: nameOrNull(/^name:[ \t]{0,4}([a-z0-9_]{1,80})/m.exec(text)?.[1]),
    libraries: sections.get("dependencies") ?? [],
    tools: sections.get("dev_dependencies") ?? [],
  });
}

function readMix(text: string): Manifest {
  return manifest("Hex", { libraries: found(text, /\{:([a-z_0-9]{1,60}),/g) });
}

function readSwift(text: string): Manifest {
  const urls = found(text, /url:[ \t]{0,4}"([^"\n]{1,200})"/g);
  return manifest("SwiftPM", {
    libraries: urls.map(
      (url) =>
        url
          .replace(/\.git$/, "")
          .split("/")
          .at(-1) ?? "",
    ),
  });
}

function found(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), (match) => match[1] ?? "");
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
