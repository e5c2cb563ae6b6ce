import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { CommitSpec, ImportFinding } from "../../../src/ports/workspace.ts";
import {
  commitSpec,
  commitTree,
  git,
  makeBench,
  makeRepo,
  type TestRepo,
  tempFolder,
  writeFiles,
} from "../../support/git-repo.ts";

const FILES = { "a.txt": "a\n", "src/one.ts": "1\n", "docs/guide.md": "guide\n" };

type Work = (path: string) => void;

/** What comes of an agent's work, refused and stripped. */
async function judge(repo: TestRepo, work: Work, more: Partial<CommitSpec> = {}) {
  const { workspace } = await makeBench(repo);
  const base = repo.sha("HEAD");
  const tree = await workspace.open(base);
  work(tree.path);
  const refusal = await workspace.commit(tree, commitSpec(base, more));
  const findings: readonly ImportFinding[] = refusal.kind === "refused" ? refusal.findings : [];
  const stripped = await workspace.commit(tree, commitSpec(base, { ...more, onForbidden: "strip" }));
  return {
    refusal,
    found: findings.map(({ rule, path }) => `${rule} ${path}`),
    messages: findings.map(({ message }) => message),
    kept: stripped.kind === "committed" ? stripped.files : [],
    strippedTree: stripped.kind === "committed" ? repo.git("ls-tree", "-r", stripped.commit) : "",
    baseTree: repo.git("ls-tree", "-r", base),
  };
}

function link(target: string, at: string): Work {
  return (path) => {
    mkdirSync(dirname(join(path, at)), { recursive: true });
    symlinkSync(target, join(path, at));
  };
}

const file =
  (path: string, text = "x\n"): Work =>
  (root) =>
    writeFiles(root, { [path]: text });

describe("protected paths", () => {
  it("refuse what is new there, however it is spelled, and let the rest pass", async () => {
    const forbidden = [
      ".GitHub/workflows/x.yml",
      ".git\u200chub/workflows/x.yml",
      ".github/workflows/x.yml",
      ".loom/run/PLAN.md",
      "CODEOWNERS",
      "GITHUB~1/workflows/x.yml",
      "app/.env.production",
      "docs/CODEOWNERS",
      "sub/.claude/settings.json",
      "sub/Agents.md",
    ];
    const fine = [".env.example", "src/env.ts", "sub/.github/x"];
    const { found, messages, kept } = await judge(makeRepo(FILES), (root) => {
      for (const path of [...forbidden, ...fine]) file(path)(root);
    });
    expect(found).toEqual(forbidden.map((path) => `protected-path ${path}`).sort());
    expect(messages[0]).toMatchInlineSnapshot(
      `"\`.GitHub/workflows/x.yml\` is protected: agents may not add, change or remove it. Leave it as it is."`,
    );
    expect(kept).toEqual(fine);
  });

  it("hold against changes, removals and new modes of files that are there already", async () => {
    const repo = makeRepo({ ...FILES, "CLAUDE.md": "rules\n", ".github/ci.yml": "ci\n", "AGENTS.md": "x\n" });
    const { found, kept } = await judge(repo, (root) => {
      writeFileSync(join(root, "CLAUDE.md"), "be evil\n");
      rmSync(join(root, ".github"), { recursive: true });
      chmodSync(join(root, "AGENTS.md"), 0o755);
    });
    expect(found).toEqual([
      "protected-path .github/ci.yml",
      "protected-path AGENTS.md",
      "protected-path CLAUDE.md",
    ]);
    expect(kept).toEqual([]);
  });

  it("include the plan and whatever else the run names, in any case", async () => {
    const repo = makeRepo({ ...FILES, "plans/PLAN.md": "plan\n" });
    const { found } = await judge(repo, file("plans/PLAN.md", "easier\n"), { protect: ["plans/plan.md"] });
    expect(found).toEqual(["protected-path plans/PLAN.md"]);
  });

  it("are reached through no link, neither a new one nor one that was there", async () => {
    const added = await judge(
      makeRepo({ ...FILES, ".github/ci.yml": "ci\n" }),
      link("../.github", "docs/ci"),
    );
    expect(added.found).toEqual(["protected-path docs/ci"]);

    const repo = makeRepo({ ...FILES, ".github/ci.yml": "ci\n" });
    symlinkSync(".github", join(repo.root, "ci"));
    repo.commit();
    const through = await judge(repo, file("ci/workflows/x.yml"));
    expect(through.found).toEqual(["protected-path .github/workflows/x.yml"]);
  });

  it("that are links protect what they lead to", async () => {
    const repo = makeRepo(FILES);
    symlinkSync("docs/guide.md", join(repo.root, "CLAUDE.md"));
    repo.commit();
    const { found } = await judge(repo, file("docs/guide.md", "be evil\n"));
    expect(found).toEqual(["protected-path docs/guide.md"]);
  });

  it("never become objects in the person's repository", async () => {
    const repo = makeRepo(FILES);
    const secret = "TOKEN=not for the object store\n";
    await judge(repo, file(".env", secret));
    const sha = execFileSync("git", ["hash-object", "--stdin"], { input: secret, encoding: "utf8" }).trim();
    expect(() => repo.git("cat-file", "-e", sha)).toThrow();
  });
});

describe("links", () => {
  it("are refused when they lead outside", async () => {
    const { found, kept } = await judge(makeRepo(FILES), (root) => {
      link("/etc/passwd", "absolute")(root);
      link("../../etc/passwd", "src/climbing")(root);
      link("docs/../../x", "back-door")(root);
      link("..", "src/up")(root);
      link("src/up/../x", "through-another")(root);
      link(".git/config", "git-folder")(root);
      link(".GIT/hooks", "git-folder-in-capitals")(root);
      link("circle", "circle")(root);
      link("C:\\Windows", "windows")(root);
    });
    expect(found).toEqual(
      [
        "absolute",
        "back-door",
        "circle",
        "git-folder",
        "git-folder-in-capitals",
        "src/climbing",
        "through-another",
        "windows",
      ].map((path) => `escaping-link ${path}`),
    );
    expect(kept).toEqual(["src/up"]);
  });

  it("are fine when they stay inside, even if nothing is there", async () => {
    const { refusal } = await judge(makeRepo(FILES), (root) => {
      link("../docs/guide.md", "src/guide")(root);
      link("nowhere", "dangling")(root);
      link("src", "code")(root);
    });
    expect(refusal).toMatchObject({ kind: "committed", files: ["code", "dangling", "src/guide"] });
  });

  it("that were fine are noticed when a new link turns them outside", async () => {
    const repo = makeRepo({ ...FILES, "x/y/z": "z\n" });
    symlinkSync("x/y/../..", join(repo.root, "old"));
    repo.commit();
    const { found } = await judge(repo, (root) => {
      rmSync(join(root, "x/y"), { recursive: true });
      link("../docs", "x/y")(root);
    });
    expect(found).toEqual(["escaping-link old"]);
  });

  it("that always led outside are not held against an agent who adds another", async () => {
    const repo = makeRepo(FILES);
    symlinkSync("/etc/hosts", join(repo.root, "old"));
    repo.commit();
    const { refusal } = await judge(repo, link("docs", "new"));
    expect(refusal.kind).toBe("committed");
  });

  it("in the place of a folder bring the folder back when they are stripped", async () => {
    const { found, strippedTree, baseTree } = await judge(makeRepo(FILES), (root) => {
      rmSync(join(root, "src"), { recursive: true });
      link(tempFolder(), "src")(root);
      writeFiles(root, { "a.txt": "kept\n" });
    });
    expect(found).toEqual(["escaping-link src"]);
    expect(strippedTree.split("\n").filter((line) => line.includes("src"))).toEqual(
      baseTree.split("\n").filter((line) => line.includes("src")),
    );
  });
});

describe("repositories inside", () => {
  it("are refused with and without a commit of their own", async () => {
    const { found, kept } = await judge(makeRepo(FILES), (root) => {
      for (const name of ["empty", "full"]) {
        mkdirSync(join(root, name));
        git(root, "init", "-q", name);
        writeFiles(root, { [`${name}/x`]: "x" });
      }
      git(
        join(root, "full"),
        "-c",
        "user.name=x",
        "-c",
        "user.email=y",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "x",
      );
      file("fine.txt")(root);
    });
    expect(found).toEqual(["submodule empty", "submodule full"]);
    expect(kept).toEqual(["fine.txt"]);
  });

  it("are refused as a new commit of a submodule, put into the index by the agent", async () => {
    const repo = makeRepo(FILES);
    repo.git("update-index", "--add", "--cacheinfo", `160000,${repo.sha("HEAD")},sub`);
    repo.git("commit", "-qm", "submodule");
    const { refusal } = await judge(repo, (root) => {
      git(root, "init", "-q", "sub");
      git(
        join(root, "sub"),
        "-c",
        "user.name=x",
        "-c",
        "user.email=y",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "x",
      );
    });
    expect(refusal).toEqual({ kind: "unchanged" });
  });

  it("are refused when bare, at the first file that completes one", async () => {
    const repo = makeRepo({ ...FILES, "fixture/HEAD": "ref: refs/heads/main\n", "fixture/objects/x": "x" });
    const { found, messages } = await judge(repo, (root) => {
      writeFiles(root, {
        "fixture/refs/heads/main": "x",
        "fixture/config": "[core]\n",
        "other/HEAD": "fine\n",
      });
    });
    expect(found).toEqual([
      "embedded-repository fixture/config",
      "embedded-repository fixture/refs/heads/main",
    ]);
    expect(messages[0]).toContain("`fixture`");
  });
});

describe("files", () => {
  it("above the size limit are refused and never stored", async () => {
    const { found, messages, kept } = await judge(makeRepo(FILES), (root) => {
      writeFiles(root, { "big.bin": "", "fits.bin": "" });
      truncateSync(join(root, "big.bin"), 50_000_001);
      writeFiles(root, { "fine.txt": "x" });
    });
    expect(found).toEqual(["oversized big.bin"]);
    expect(messages[0]).toMatchInlineSnapshot(
      `"\`big.bin\` has 50 MB; at most 50 MB may be committed. Remove it or ignore it."`,
    );
    expect(kept).toEqual(["fine.txt", "fits.bin"]);
  });

  it("with names that mean something else elsewhere are refused", async () => {
    const names = [".g\u200cit/config", ".git./x", "back\\slash", "git~1/x", "mirror\u202etxt", "new\nline"];
    const { found, kept } = await judge(makeRepo(FILES), (root) => {
      for (const name of names) file(name)(root);
      file("fine.txt")(root);
    });
    expect(found).toEqual(names.map((name) => `bad-name ${name}`).sort());
    expect(kept).toEqual(["fine.txt"]);
  });

  it("with a name that is not UTF-8 are refused and left out", async () => {
    const { found, kept } = await judge(makeRepo(FILES), (root) => {
      writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x66, 0xff])]), "x");
      file("fine.txt")(root);
    });
    expect(found).toEqual(["bad-name f\ufffd"]);
    expect(kept).toEqual(["fine.txt"]);
  });

  it("that are ignored stay out, by the tree's rules, the repository's and the person's", async () => {
    const repo = makeRepo({ ...FILES, ".gitignore": "*.log\n", "tracked.log": "" });
    writeFiles(repo.root, { ".git/info/exclude": "private/\n" });
    writeFiles(process.env.HOME ?? "", { ".config/git/ignore": ".DS_Store\n" });
    repo.git("add", "-f", "tracked.log");
    repo.commit();
    const { refusal } = await judge(repo, (root) => {
      writeFiles(root, { "x.log": "x", "private/x": "x", ".DS_Store": "x", "tracked.log": "more\n", y: "y" });
    });
    expect(refusal).toMatchObject({ kind: "committed", files: ["tracked.log", "y"] });
  });

  it("can change their kind: file to folder, folder to file, file to link, plain to executable", async () => {
    const repo = makeRepo({ ...FILES, folder: "f\n", "d/x": "x\n", l: "l\n", tool: "t\n" });
    const { workspace } = await makeBench(repo);
    const base = repo.sha("HEAD");
    const tree = await workspace.open(base);
    rmSync(join(tree.path, "folder"));
    rmSync(join(tree.path, "d"), { recursive: true });
    rmSync(join(tree.path, "l"));
    writeFiles(tree.path, { "folder/x": "x\n", d: "d\n" });
    symlinkSync("a.txt", join(tree.path, "l"));
    chmodSync(join(tree.path, "tool"), 0o755);
    const commit = await commitTree(workspace, tree, base);
    const modes = repo.git("ls-tree", "-r", "--format=%(objectmode) %(path)", commit).split("\n");
    expect(modes).toEqual([
      "100644 a.txt",
      "100644 d",
      "100644 docs/guide.md",
      "100644 folder/x",
      "120000 l",
      "100644 src/one.ts",
      "100755 tool",
    ]);
  });

  it("count as changed when they are as long as before and no older than the checkout, to the second", async () => {
    const repo = makeRepo({ ...FILES, ".github/ci.yml": "a\n", gone: "x\n" });
    const { workspace } = await makeBench(repo);
    const base = repo.sha("HEAD");
    const second = (): number => Math.floor(Date.now() / 1000);
    let tree = await workspace.open(base);
    // Git keeps times of files in whole seconds: all of it has to happen within one, and the commit in the next.
    for (let begun = -1; begun !== second(); ) {
      await workspace.close(tree);
      begun = second();
      tree = await workspace.open(base);
      writeFiles(tree.path, { "a.txt": "A\n", ".github/ci.yml": "A\n" });
      rmSync(join(tree.path, "gone"));
    }
    for (const begun = second(); begun === second(); ) await setImmediate();
    const strip = { onForbidden: "strip" } as const;
    expect(await workspace.commit(tree, commitSpec(base, strip))).toMatchObject({
      kind: "committed",
      files: ["a.txt", "gone"],
    });
    await workspace.close(tree);
    const next = await workspace.open(base);
    expect(readFileSync(join(next.path, ".github/ci.yml"), "utf8")).toBe("a\n");
  });

  it("that can't be read or stored are made readable, or count as gone", async () => {
    const repo = makeRepo({ ...FILES, pipe: "x\n" });
    const { refusal } = await judge(repo, (root) => {
      file("secretive.txt")(root);
      chmodSync(join(root, "secretive.txt"), 0o000);
      rmSync(join(root, "pipe"));
      execFileSync("mkfifo", [join(root, "pipe")]);
    });
    expect(refusal).toMatchObject({ kind: "committed", files: ["pipe", "secretive.txt"] });
  });

  it("that were in conflict are refused while they hold markers", async () => {
    const repo = makeRepo(FILES);
    const markers = "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n";
    const work: Work = (root) =>
      writeFiles(root, { "a.txt": markers, "other.md": markers, "src/one.ts": "=======\n" });
    const { found } = await judge(repo, work, { resolving: ["a.txt", "src/one.ts", "gone.txt"] });
    expect(found).toEqual(["conflict-markers a.txt"]);
  });
});

describe("a message", () => {
  it("is only text, whatever it looks like", async () => {
    const { repo, workspace } = await makeBench();
    const base = repo.sha("HEAD");
    const tree = await workspace.open(base);
    for (const message of [
      "-F/etc/passwd",
      "--upload-pack=x",
      "$(id) `id` ; id",
      "-c core.pager=id",
      "#1",
      "  ",
      "a\0b",
    ]) {
      const commit = await commitTree(workspace, tree, base, { message, allowEmpty: true });
      expect(repo.git("log", "-1", "--format=%B", commit)).toBe(
        message.trim() === "" ? "No message" : message.replace("\0", ""),
      );
    }
  });
});
