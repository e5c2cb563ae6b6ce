import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeFolder, putFile } from "../../../../src/adapters/harness/cli/put-file.ts";

let folder: string;
let home: string;
let outside: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "loom-put-"));
  home = join(folder, "home");
  outside = join(folder, "outside");
  await mkdir(home);
  await mkdir(outside);
  await writeFile(join(outside, "precious"), "keep me");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe("a file that Loom puts into an agent's home", () => {
  it("stands there with its folders, and replaces what was there", async () => {
    await putFile(home, join(home, "a/b/config.toml"), "one");
    await putFile(home, join(home, "a/b/config.toml"), "two");
    expect(await readFile(join(home, "a/b/config.toml"), "utf8")).toBe("two");
    expect(await readdir(join(home, "a/b"))).toEqual(["config.toml"]);
  });

  it.each(["a", "a/b", "a/b/config.toml"])("is not written through a link at %s", async (path) => {
    await makeFolder(home, join(home, "a"));
    await rm(join(home, path), { recursive: true, force: true });
    if (path === "a/b/config.toml") await makeFolder(home, join(home, "a/b"));
    await symlink(path.endsWith("toml") ? join(outside, "precious") : outside, join(home, path));
    await putFile(home, join(home, "a/b/config.toml"), "mine");
    expect(await readFile(join(home, "a/b/config.toml"), "utf8")).toBe("mine");
    expect(await readdir(outside)).toEqual(["precious"]);
    expect(await readFile(join(outside, "precious"), "utf8")).toBe("keep me");
  });

  it("takes the place of a folder of that name", async () => {
    await makeFolder(home, join(home, "config.toml/deep"));
    await putFile(home, join(home, "config.toml"), "mine");
    expect(await readFile(join(home, "config.toml"), "utf8")).toBe("mine");
  });

  it("takes the place of folders that lie in each other deeper than a path can lead", async () => {
    const dig =
      'mkdir("config.toml"); chdir("config.toml"); for (1 .. 40) { mkdir("d" x 200); chdir("d" x 200) }';
    execFileSync("perl", ["-e", dig], { cwd: home });
    await putFile(home, join(home, "config.toml"), "mine");
    expect(await readFile(join(home, "config.toml"), "utf8")).toBe("mine");
    execFileSync("rm", ["-rf", home]);
  });
});
