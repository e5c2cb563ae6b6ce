import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { tempFolder } from "../support/git-repo.ts";

const ROOT = resolve(import.meta.dirname, "../..");

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = tempFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o755 });
  return folder;
}

describe("the notes of a release", () => {
  const notes = (tag: string, changelog: string, version = "1.2.0") => {
    const folder = folderWith({ "package.json": JSON.stringify({ version }), "CHANGELOG.md": changelog });
    const program = join(ROOT, ".ci/release-notes.mjs");
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, tag, folder], {
      encoding: "utf8",
    });
    return { status, text: stdout + stderr };
  };
  const changelog =
    "# Changelog\n\n## Unreleased\n\n- later\n\n## 1.2.0 (2030-01-02)\n\n### New\n\n- now\n\n## 1.1.0 (2029-01-02)\n\n- old\n";

  it("are what CHANGELOG.md says about its version, and nothing else", () => {
    expect(notes("v1.2.0", changelog)).toEqual({ status: 0, text: "### New\n\n- now\n" });
  });

  it.each([
    ["another version", "v1.3.0", changelog, 'so its tag is v1.2.0 and not "v1.3.0"'],
    ["no section", "v1.2.0", changelog.replace("## 1.2.0", "## 1.2.1"), "has no section"],
    ["no date", "v1.2.0", changelog.replace("2030-01-02", "soon"), "does not say when"],
    ["nothing to tell", "v1.2.0", changelog.replace("### New\n\n- now\n", ""), "says nothing about 1.2.0"],
  ])("are missed when there is %s", (_, tag, text, problem) => {
    expect(notes(tag, text)).toEqual({ status: 1, text: expect.stringContaining(problem) });
  });

  it("are there for the version that package.json names", () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
    const { status, text } = notes(`v${version}`, readFileSync(join(ROOT, "CHANGELOG.md"), "utf8"), version);
    expect([status, text]).toEqual([0, expect.stringContaining("### ")]);
  });
});

describe("publishing to npm", () => {
  /** With an npm that knows a package.json, has published `there`, and writes down what it is told to publish. */
  const publish = (manifest: object, there = "") => {
    const folder = folderWith({
      "package.json": JSON.stringify(manifest),
      npm: `#!/bin/sh
case "$1 $2" in
  "pkg get") exec "${process.execPath}" -p 'JSON.stringify(JSON.parse(require("fs").readFileSync("package.json"))[process.argv[1]] ?? {})' "$3" ;;
  view*) echo '${there}' ;;
  *) echo "npm $*" ;;
esac
`,
    });
    const { status, stdout } = spawnSync(join(ROOT, ".ci/publish-package"), [folder], {
      encoding: "utf8",
      env: {
        PATH: `${folder}:${process.env.PATH}`,
        GITHUB_SERVER_URL: "https://github.example",
        GITHUB_REPOSITORY: "acme/loom",
      },
    });
    expect(status).toBe(0);
    return stdout;
  };

  it("does nothing while the package is private", () => {
    expect(publish({ name: "@acme/loom", version: "1.2.0", private: true })).toMatchInlineSnapshot(`
      "::notice::package.json says that the package is private, so npm gets nothing.
      "
    `);
  });

  it("names the repository that it comes from", () => {
    expect(publish({ name: "@acme/loom", version: "1.2.0" })).toMatchInlineSnapshot(`
      "npm pkg set repository.type=git repository.url=git+https://github.example/acme/loom.git
      npm publish --ignore-scripts
      "
    `);
  });

  it("leaves the newest version that people get alone when it is a try", () => {
    expect(publish({ name: "@acme/loom", version: "1.3.0-rc.1" })).toContain("--tag next");
  });

  it("can be done again after half a release", () => {
    expect(publish({ name: "@acme/loom", version: "1.2.0" }, "1.2.0")).toMatchInlineSnapshot(`
      "::notice::npm has @acme/loom 1.2.0 already.
      "
    `);
  });
});
