import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Sha } from "../../../../src/core/ids.ts";
import type { Workspace } from "../../../../src/ports/workspace.ts";
import {
  type Bench,
  commitTree,
  git,
  makeBench,
  makeRepo,
  makeTrap,
  type TestRepo,
  tempFolder,
  writeFiles,
} from "../../../support/git-repo.ts";

const FILES = {
  "CLAUDE.md": "Be kind.\n",
  "AGENTS.md": "Be brief.\n",
  ".gemini/settings.json": "{}\n",
  ".husky/pre-commit": "npm test\n",
  "packages/a/CLAUDE.md": "A\n",
  "packages/a/index.ts": "1\n",
  "src/main.ts": "1\n",
  ".gitignore": ".env\n.claude/\n",
};

type Desk = {
  readonly bench: Bench;
  readonly workspace: Workspace;
  readonly path: string;
  readonly base: Sha;
  restore(): Promise<string[]>;
  read(path: string): string;
};

async function lend(repo: TestRepo = makeRepo(FILES)): Promise<Desk> {
  const bench = await makeBench(repo);
  const base = repo.sha("HEAD");
  const tree = await bench.workspace.open(base);
  return {
    bench,
    workspace: bench.workspace,
    path: tree.path,
    base,
    restore: () => bench.workspace.restoreConfig(tree, base),
    read: (path) => readFileSync(join(tree.path, path), "utf8"),
  };
}

describe("what configures agents", () => {
  it("is left alone when it is what the base has", async () => {
    const { path, restore } = await lend();
    writeFiles(path, { "src/main.ts": "2\n", "src/new.ts": "3\n" });
    expect(await restore()).toEqual([]);
    expect(git(path, "status", "--porcelain")).toBe(" M src/main.ts\n?? src/new.ts");
  });

  it.each<[string, (path: string) => void, string[]]>([
    ["a planted hook", (at) => writeFiles(at, { ".claude/settings.json": "{}" }), [".claude"]],
    [
      "a planted file beside one of the base",
      (at) => writeFiles(at, { ".gemini/x.md": "" }),
      [".gemini/x.md"],
    ],
    ["changed instructions", (at) => writeFiles(at, { "CLAUDE.md": "Be evil.\n" }), ["CLAUDE.md"]],
    ["a change of the same length", (at) => writeFiles(at, { "CLAUDE.md": "Be mean.\n" }), ["CLAUDE.md"]],
    ["deleted instructions", (at) => rmSync(join(at, "AGENTS.md")), ["AGENTS.md"]],
    [
      "a new .env",
      (at) => writeFiles(at, { ".env": "A=1", "app/.env.local": "B=2" }),
      [".env", "app/.env.local"],
    ],
    [
      "another spelling",
      (at) => writeFiles(at, { "Claude.MD": "x", "sub/.MCP.json": "{}" }),
      ["Claude.MD", "sub/.MCP.json"],
    ],
    ["a changed mode", (at) => chmodSync(join(at, ".husky/pre-commit"), 0o755), [".husky/pre-commit"]],
    [
      "nested instructions",
      (at) => writeFiles(at, { "packages/a/CLAUDE.md": "B\n", "x/y/AGENTS.md": "" }),
      ["packages/a/CLAUDE.md", "x/y/AGENTS.md"],
    ],
    ["an empty folder", (at) => void mkdirSync(join(at, "x/.codex"), { recursive: true }), ["x/.codex"]],
    ["a dangling link", (at) => symlinkSync("nowhere", join(at, ".mcp.json")), [".mcp.json"]],
    [
      "a folder in the place of a file",
      (at) => {
        rmSync(join(at, "AGENTS.md"));
        writeFiles(at, { "AGENTS.md/x": "x" });
      },
      ["AGENTS.md"],
    ],
    [
      "a file in the place of a folder",
      (at) => {
        rmSync(join(at, ".gemini"), { recursive: true });
        writeFiles(at, { ".gemini": "x" });
      },
      [".gemini", ".gemini/settings.json"],
    ],
    ["a folder that is gone", (at) => rmSync(join(at, ".husky"), { recursive: true }), [".husky/pre-commit"]],
    [
      "a read-only folder",
      (at) => {
        writeFiles(at, { "x/.claude/deep/settings.json": "{}" });
        for (const folder of ["x/.claude/deep", "x/.claude", "x"]) chmodSync(join(at, folder), 0o555);
      },
      ["x/.claude"],
    ],
    [
      "a name that is not UTF-8",
      (at) => writeFileSync(Buffer.concat([Buffer.from(`${at}/.gemini/`), Buffer.of(0xff)]), "x"),
      [".gemini/\ufffd"],
    ],
  ])("is put back: %s", async (_, plant, paths) => {
    const { path, restore } = await lend();
    plant(path);
    expect(await restore()).toEqual(paths);
    expect(git(path, "status", "--porcelain", "--ignored")).toBe("");
    expect(await restore()).toEqual([]);
  });

  it("is put back in place of a link, and nothing is changed behind the link", async () => {
    const { path, restore, read } = await lend();
    const outside = tempFolder();
    writeFiles(outside, { "settings.json": "{}\n", "CLAUDE.md": "outside\n" });
    rmSync(join(path, ".gemini"), { recursive: true });
    symlinkSync(outside, join(path, ".gemini"));
    rmSync(join(path, "CLAUDE.md"));
    symlinkSync(join(outside, "CLAUDE.md"), join(path, "CLAUDE.md"));
    symlinkSync(outside, join(path, "elsewhere"));
    expect(await restore()).toEqual([".gemini", ".gemini/settings.json", "CLAUDE.md"]);
    expect(lstatSync(join(path, ".gemini")).isDirectory()).toBe(true);
    expect(read("CLAUDE.md")).toBe("Be kind.\n");
    expect(readFileSync(join(outside, "CLAUDE.md"), "utf8")).toBe("outside\n");
    expect(existsSync(join(outside, "settings.json"))).toBe(true);
    expect(readlinkSync(join(path, "elsewhere"))).toBe(outside);
  });

  it("is not put back through a link in the place of a folder above it", async () => {
    const { path, restore } = await lend();
    const outside = tempFolder();
    rmSync(join(path, "packages"), { recursive: true });
    symlinkSync(outside, join(path, "packages"));
    expect(await restore()).toEqual([]);
    expect(existsSync(join(outside, "a"))).toBe(false);
    expect(readlinkSync(join(path, "packages"))).toBe(outside);
  });

  it("is also the document that a link of the base leads to", async () => {
    const repo = makeRepo({ "docs/rules.md": "Be kind.\n", "tools/claude/settings.json": "{}\n" });
    symlinkSync("docs/rules.md", join(repo.root, "CLAUDE.md"));
    symlinkSync("tools/claude", join(repo.root, ".claude"));
    repo.commit();
    const { path, restore, read } = await lend(repo);
    writeFiles(path, { "docs/rules.md": "Be evil.\n", "tools/claude/hook.sh": "x", "docs/other.md": "y" });
    expect(await restore()).toEqual(["docs/rules.md", "tools/claude/hook.sh"]);
    expect(read("docs/rules.md")).toBe("Be kind.\n");
    expect(readlinkSync(join(path, ".claude"))).toBe("tools/claude");
    expect(read("docs/other.md")).toBe("y");
  });

  it("keeps every byte of files that are no text", async () => {
    const repo = makeRepo(FILES);
    const bytes = Buffer.from([0, 255, 254, 13, 10, 128]);
    mkdirSync(join(repo.root, ".opencode"));
    writeFileSync(join(repo.root, ".opencode/x.bin"), bytes);
    repo.commit();
    const { path, restore } = await lend(repo);
    rmSync(join(path, ".opencode"), { recursive: true });
    expect(await restore()).toEqual([".opencode/x.bin"]);
    expect(readFileSync(join(path, ".opencode/x.bin"))).toEqual(bytes);
  });

  it("is not looked for in what git keeps or package managers install", async () => {
    const { path, restore } = await lend();
    writeFiles(path, { "node_modules/x/CLAUDE.md": "x", "sub/node_modules/.claude/y": "y" });
    git(path, "init", "-q", "inner");
    writeFiles(path, { "inner/.git/CLAUDE.md": "x", "inner/.claude/z": "z" });
    expect(await restore()).toEqual(["inner/.claude"]);
    expect(existsSync(join(path, "node_modules/x/CLAUDE.md"))).toBe(true);
    expect(existsSync(join(path, "inner/.git/CLAUDE.md"))).toBe(true);
  });

  it("is put back without running anything that the tree names", async () => {
    const { path, restore, read, bench } = await lend();
    const trap = makeTrap();
    writeFiles(path, { ".gitattributes": "* filter=trap\n", "CLAUDE.md": "x" });
    bench.repo.git("config", "filter.trap.smudge", trap.command);
    bench.repo.git("config", "filter.trap.clean", trap.command);
    expect(await restore()).toEqual(["CLAUDE.md"]);
    expect(read("CLAUDE.md")).toBe("Be kind.\n");
    expect(trap.sprung()).toBe(false);
  });

  it("does not get into the commit, and the work does", async () => {
    const { workspace, path, base, restore } = await lend();
    writeFiles(path, { "src/main.ts": "2\n", ".claude/settings.json": "{}", "CLAUDE.md": "x" });
    await restore();
    const commit = await commitTree(workspace, { path }, base);
    expect(await workspace.changedFiles(base, commit)).toEqual(["src/main.ts"]);
  });

  it("costs little beside 5,000 other files, none of which is touched", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, at) => [`src/${at % 100}/deep/file-${at}.ts`, `${at}\n`]),
    );
    const { path, restore, bench } = await lend(makeRepo({ ...FILES, ...many }));
    const stamps = (): string[] =>
      Object.keys(many).map((file) => {
        const { mtimeMs, ctimeMs, ino } = statSync(join(path, file));
        return `${mtimeMs} ${ctimeMs} ${ino}`;
      });
    const before = stamps();
    const calls = bench.calls.length;
    const start = process.cpuUsage();
    expect(await restore()).toEqual([]);
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1_000).toBeLessThan(1_000);
    expect(bench.calls.length - calls).toBe(2);
    writeFiles(path, { ".claude/settings.json": "{}", "CLAUDE.md": "x" });
    expect(await restore()).toEqual([".claude", "CLAUDE.md"]);
    expect(stamps()).toEqual(before);
  });
});
