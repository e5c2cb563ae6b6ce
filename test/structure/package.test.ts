import { execFileSync, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeRepo, tempFolder } from "../support/git-repo.ts";
import { planText } from "../support/plan-text.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const { name, version, overrides } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

/**
 * What `npm pack` makes, installed by npm into a folder elsewhere. The packages that Loom needs are there already, in the versions of
 * the lock file, so npm asks no registry; it knows no settings and no cache of this machine either.
 */
function install(folder: string): { home: string; cli: string; files: string[] } {
  const project = join(folder, "project");
  const env = { PATH: process.env.PATH, HOME: join(folder, "home") };
  const npm = (cwd: string, ...args: string[]): string =>
    execFileSync("npm", args, { cwd, encoding: "utf8", env });
  mkdirSync(env.HOME);
  copyDependencies(project);
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, overrides }));
  const pack = npm(ROOT, "pack", "--ignore-scripts", "--silent", "--pack-destination", folder);
  const [tarball = ""] = pack.trim().split("\n").slice(-1);
  npm(project, "install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", join(folder, tarball));
  const home = join(project, "node_modules", name);
  const files = readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1));
  return { home, cli: join(project, "node_modules/.bin/loom"), files };
}

/** With the links to their programs: npm would fetch a package anew whose links are missing. */
function copyDependencies(project: string): void {
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  const paths = Object.entries<{ dev?: boolean }>(packages)
    .filter(([path, { dev }]) => /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path) && !dev)
    .map(([path]) => path);
  // Those for other machines are not there.
  for (const path of [...paths, "node_modules/.bin"].filter((one) => existsSync(join(ROOT, one))))
    cpSync(join(ROOT, path), join(project, path), { recursive: true, verbatimSymlinks: true });
}

describe("the package", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "loom-package-")));
  let home = "";
  let cli = "";
  let files: string[] = [];
  beforeAll(() => {
    ({ home, cli, files } = install(folder));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("holds what Loom runs from, and nothing that only its makers need", () => {
    const places = new Set(
      files.map((file) =>
        file
          .split("/")
          .slice(0, file.startsWith("dist/") ? 2 : 1)
          .join("/"),
      ),
    );
    expect([...places].sort()).toEqual([
      ...["LICENSE", "README.md", "app.yml", "dist/src", "package.json", "policies", "prompts"],
    ]);
    for (const program of [
      ...[
        "cli/main",
        "adapters/sandbox/gateway/relay",
        "adapters/sandbox/gateway/guard",
        "adapters/drill/attacker",
      ],
      ...["adapters/sandbox/provider/limits/limit-thread", "adapters/harness/scripted-agent"],
    ])
      expect(files).toContain(`dist/src/${program}.js`);
    // They take as much room as the programs do; whoever looks for a fault has the sources.
    expect(files.filter((file) => file.endsWith(".map"))).toEqual([]);
    // The code of others is in there, so their terms are.
    expect(files).toContain("dist/src/LICENCES.txt");
  });

  it("works where it is installed: version, a plan, the machine", () => {
    const repo = makeRepo({ "PLAN.md": planText([{ id: "one" }], { name: "A plan" }) });
    const loom = (...args: string[]): string =>
      execFileSync(cli, args, {
        cwd: repo.root,
        encoding: "utf8",
        env: { PATH: process.env.PATH, HOME: tempFolder() },
      });
    expect(loom("--version")).toBe(`${version}\n`);
    expect(loom("plan", "check", "PLAN.md")).toContain("one");
    expect(JSON.parse(loom("map", "--json"))).toBeTypeOf("object");
    expect(loom("drill", "--help")).toContain("hostile agent");
  });

  it("is a program and no library: nothing in it can be imported but its package.json", () => {
    const project = resolve(home, ...name.split("/").map(() => ".."), "..");
    const load = (path: string) =>
      spawnSync(process.execPath, ["-p", `require(${JSON.stringify(path)}).version`], {
        cwd: project,
        encoding: "utf8",
      });
    expect(load(`${name}/package.json`).stdout).toBe(`${version}\n`);
    for (const path of [name, `${name}/dist/src/cli/main.js`])
      expect(load(path).stderr).toContain("ERR_PACKAGE_PATH_NOT_EXPORTED");
  });
});

describe("programs that run alone", () => {
  it.each([
    ...["adapters/sandbox/gateway/relay", "adapters/sandbox/gateway/guard", "adapters/drill/attacker"],
    ...["adapters/sandbox/provider/limits/limit-thread", "adapters/harness/scripted-agent"],
  ])("%s imports nothing but Node's own modules", (name) => {
    const text = readFileSync(join(ROOT, `dist/src/${name}.js`), "utf8");
    const imported = Array.from(text.matchAll(/\bimport\b[^"';]*["']([^"']+)["']/g), ([, from]) => from);
    expect(imported.filter((from) => !from?.startsWith("node:"))).toEqual([]);
  });
});
