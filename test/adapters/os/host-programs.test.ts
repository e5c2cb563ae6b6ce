import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { hostPrograms } from "../../../src/adapters/os/host-programs.ts";
import { makeRepo, tempFolder } from "../../support/git-repo.ts";

function plant(folder: string, name: string, mode = 0o755): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "#!/bin/sh\necho planted\n");
  chmodSync(file, mode);
  return file;
}

/** What `git worktree add` makes, without the process. */
function linkTree(repo: string, outside: string): string {
  const tree = join(outside, "tree");
  mkdirSync(join(repo, ".git/worktrees/tree"), { recursive: true });
  mkdirSync(tree);
  writeFileSync(join(repo, ".git/worktrees/tree/gitdir"), `${tree}/.git\n`);
  writeFileSync(join(repo, ".git/worktrees/tree/commondir"), "../..\n");
  writeFileSync(join(tree, ".git"), `gitdir: ${repo}/.git/worktrees/tree\n`);
  return tree;
}

/** The same for a repository that has no other work tree. */
function linkToBare(outside: string): { cwd: string; tree: string } {
  const [cwd, tree] = [join(outside, "repo.git"), join(outside, "main")];
  for (const name of ["objects", "refs", "worktrees/main"]) mkdirSync(join(cwd, name), { recursive: true });
  mkdirSync(tree);
  writeFileSync(join(cwd, "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(cwd, "worktrees/main/gitdir"), `${tree}/.git\n`);
  writeFileSync(join(cwd, "worktrees/main/commondir"), "../..\n");
  writeFileSync(join(tree, ".git"), `gitdir: ${cwd}/worktrees/main\n`);
  return { cwd, tree };
}

function on(cwd: string, ...folders: string[]) {
  return hostPrograms({ PATH: folders.join(delimiter) }, cwd);
}

describe("programs that Loom starts on the host", () => {
  it("are found on PATH, in its order", () => {
    const [cwd, first, second] = [tempFolder(), tempFolder(), tempFolder()];
    plant(second, "tool");
    const file = plant(first, "tool");
    expect(on(cwd, first, second).find("tool")).toEqual({ kind: "found", path: file });
    expect(on(cwd, first, second).searchPath).toBe([first, second].join(delimiter));
    expect(on(cwd, first).find("other")).toEqual({ kind: "not-found" });
  });

  const ways: [string, (repo: string, outside: string) => { cwd?: string; entry: string }][] = [
    ["among its packages", (repo) => ({ entry: join(repo, "node_modules/.bin") })],
    ["in any other folder of it", (repo) => ({ entry: join(repo, "tools/bin") })],
    ["at its root", (repo) => ({ entry: repo })],
    [
      "below the folder that Loom was started in",
      (repo) => ({ cwd: join(repo, "src"), entry: join(repo, "bin") }),
    ],
    [
      "behind a path with dots in it",
      (repo, outside) => ({ entry: `${outside}/../${repo.slice(dirname(outside).length + 1)}/bin` }),
    ],
    [
      "behind a link to a folder of it",
      (repo, outside) => {
        mkdirSync(join(repo, "bin"));
        symlinkSync(join(repo, "bin"), join(outside, "linked"));
        return { entry: join(outside, "linked") };
      },
    ],
    [
      "behind a link in it that leads out",
      (repo, outside) => {
        mkdirSync(join(outside, "real"));
        symlinkSync(join(outside, "real"), join(repo, "way"));
        return { entry: join(repo, "way") };
      },
    ],
    [
      "behind two links, of which one can be moved from within",
      (repo, outside) => {
        mkdirSync(join(outside, "real"));
        symlinkSync(join(outside, "real"), join(repo, "way"));
        symlinkSync(join(repo, "way"), join(outside, "linked"));
        return { entry: join(outside, "linked") };
      },
    ],
    [
      "in a work tree that is linked to it",
      (repo, outside) => ({ entry: join(linkTree(repo, outside), "bin") }),
    ],
    [
      "in it, when Loom was started in a work tree that is linked to it",
      (repo, outside) => ({ cwd: linkTree(repo, outside), entry: join(repo, "bin") }),
    ],
    [
      "in a work tree of the bare repository that Loom was started in",
      (_repo, outside) => {
        const { cwd, tree } = linkToBare(outside);
        return { cwd, entry: join(tree, "bin") };
      },
    ],
    [
      "in a work tree of the bare repository around the folder that Loom was started in",
      (_repo, outside) => {
        const { cwd, tree } = linkToBare(outside);
        return { cwd: join(cwd, "refs"), entry: join(tree, "bin") };
      },
    ],
    [
      "in it, when a folder of the linked work tree that Loom was started in looks like a bare repository",
      (repo, outside) => {
        const cwd = join(linkTree(repo, outside), "looks-bare");
        for (const name of ["HEAD", "objects", "refs"]) mkdirSync(join(cwd, name), { recursive: true });
        return { cwd, entry: join(repo, "bin") };
      },
    ],
    [
      "among the packages of a folder above it",
      (repo) => ({ entry: join(dirname(repo), "node_modules/.bin") }),
    ],
  ];

  it.each(ways)("are never taken from the repository: %s", (_where, make) => {
    const { root } = makeRepo();
    const { entry, cwd = root } = make(root, tempFolder());
    const planted = plant(entry, "git");
    const safe = tempFolder();
    const real = plant(safe, "git");
    const programs = on(cwd, entry, safe);
    expect(programs.find("git")).toEqual({ kind: "found", path: real });
    expect(programs.tool("git")).toBe(real);
    expect(programs.searchPath).toBe(safe);
    expect(on(cwd, entry).find("git")).toEqual({ kind: "in-repository", path: join(planted) });
  });

  it.each([".", "", "bin", "./node_modules/.bin", "..", "~/bin"])(
    "are never taken from the relative folder %j",
    (entry) => {
      const { root } = makeRepo();
      const safe = tempFolder();
      expect(on(root, entry, safe).searchPath).toBe(safe);
      // Nor does an empty PATH mean the current folder.
      expect(on(root, entry).searchPath).toBe("/usr/bin:/bin:/usr/sbin:/sbin");
    },
  );

  it("are never a link in a safe folder that leads into the repository", () => {
    const { root } = makeRepo();
    const safe = tempFolder();
    symlinkSync(plant(join(root, "bin"), "git"), join(safe, "git"));
    expect(on(root, safe).find("git")).toEqual({ kind: "in-repository", path: join(safe, "git") });
    expect(on(root, safe).tool("mkfifo")).toMatch(/^\/(usr\/)?bin\/mkfifo$/);
  });

  it("come from another repository only when nobody else has them, as with nvm and Homebrew", () => {
    const { root } = makeRepo();
    const clone = tempFolder();
    mkdirSync(join(clone, ".git"));
    const there = plant(join(clone, "bin"), "claude");
    plant(join(clone, "bin"), "git");
    const safe = tempFolder();
    const git = plant(safe, "git");
    const programs = on(root, join(clone, "bin"), safe);
    expect(programs.find("git")).toEqual({ kind: "found", path: git });
    expect(programs.find("claude")).toEqual({ kind: "found", path: there });
    expect(programs.searchPath).toBe([safe, join(clone, "bin")].join(delimiter));
  });

  it("stay what they were when they were found first", () => {
    const [cwd, first, second] = [tempFolder(), tempFolder(), tempFolder()];
    const file = plant(second, "tool");
    expect(on(cwd, first, second).find("tool")).toEqual({ kind: "found", path: file });
    plant(first, "tool");
    expect(on(cwd, first, second).find("tool")).toEqual({ kind: "found", path: file });
  });

  it("may come from folders before PATH, which are held to the same rules", () => {
    const { root } = makeRepo();
    const [first, safe] = [tempFolder(), tempFolder()];
    plant(join(root, "bin"), "tool");
    const onPath = plant(safe, "tool");
    const programs = on(root, safe);
    expect(programs.tool("tool", [join(root, "bin")])).toBe(onPath);
    symlinkSync(join(root, "bin/tool"), join(first, "tool"));
    expect(programs.tool("tool", [first])).toBe(onPath);
    const before = plant(join(first, "more"), "tool");
    expect(programs.tool("tool", [join(first, "more")])).toBe(before);
    expect(programs.tool("tool")).toBe(onPath);
  });

  it("are told apart from files that may not be executed", () => {
    const folder = tempFolder();
    const file = plant(folder, "tool", 0o644);
    expect(on("/", folder).find("tool")).toEqual({ kind: "not-executable", path: file });
  });

  it("may be named by the operator with a path, from where Loom was started", () => {
    const { root } = makeRepo();
    const file = plant(root, "agent.sh");
    expect(on(root, "/usr/bin").find("./agent.sh")).toEqual({ kind: "found", path: file });
    expect(on(root, "/usr/bin").find("./none.sh")).toEqual({ kind: "not-found" });
  });
});
