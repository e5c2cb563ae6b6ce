import { execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeRepo, tempFolder } from "../support/git-repo.ts";
import { planText } from "../support/plan-text.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const { version, dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

/** What `npm pack` makes, unpacked where `npm install` would put it, with the packages that it names and no other. */
function install(folder: string): { cli: string; files: string[] } {
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  const [name = ""] = execFileSync("npm", pack, { cwd: ROOT, encoding: "utf8" }).trim().split("\n").slice(-1);
  const home = join(folder, "node_modules/loom");
  mkdirSync(home, { recursive: true });
  execFileSync("tar", ["-xzf", join(folder, name), "-C", home, "--strip-components=1"]);
  for (const one of Object.keys(dependencies)) {
    const path = join(folder, "node_modules", one);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", one), path);
  }
  const files = readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1));
  return { cli: join(home, "dist/src/cli/main.js"), files };
}

describe("the package", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "loom-package-")));
  let cli = "";
  let files: string[] = [];
  beforeAll(() => {
    ({ cli, files } = install(folder));
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
      ...["adapters/sandbox/provider/limit-thread", "adapters/harness/scripted-agent"],
    ])
      expect(files).toContain(`dist/src/${program}.js`);
    // The code of others is in there, so their terms are.
    expect(files).toContain("dist/src/LICENCES.txt");
  });

  it("works where it is installed: version, a plan, the machine", () => {
    const repo = makeRepo({ "PLAN.md": planText([{ id: "one" }], { name: "A plan" }) });
    const loom = (...args: string[]): string =>
      execFileSync(process.execPath, [cli, ...args], {
        cwd: repo.root,
        encoding: "utf8",
        env: { PATH: process.env.PATH, HOME: tempFolder() },
      });
    expect(loom("--version")).toBe(`${version}\n`);
    expect(loom("plan", "check", "PLAN.md")).toContain("one");
    expect(JSON.parse(loom("map", "--json"))).toBeTypeOf("object");
    expect(loom("drill", "--help")).toContain("hostile agent");
  });
});

describe("programs that run alone", () => {
  it.each([
    ...["adapters/sandbox/gateway/relay", "adapters/sandbox/gateway/guard", "adapters/drill/attacker"],
    ...["adapters/sandbox/provider/limit-thread", "adapters/harness/scripted-agent"],
  ])("%s imports nothing but Node's own modules", (name) => {
    const text = readFileSync(join(ROOT, `dist/src/${name}.js`), "utf8");
    const imported = Array.from(text.matchAll(/\bimport\b[^"';]*["']([^"']+)["']/g), ([, from]) => from);
    expect(imported.filter((from) => !from?.startsWith("node:"))).toEqual([]);
  });
});
