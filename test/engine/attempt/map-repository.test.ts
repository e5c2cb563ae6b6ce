import { describe, expect, it } from "vitest";
import { mapRepository, readKnowledge } from "../../../src/engine/attempt/map-repository.ts";
import { makeBench, makeRepo } from "../../support/git-repo.ts";

describe("the map of a repository", () => {
  it("is made from the given commit and nothing else", async () => {
    const repo = makeRepo({
      "package.json": '{"name":"old","dependencies":{"express":"4"}}',
      "src/index.js": "",
    });
    const old = repo.sha("HEAD");
    const { workspace } = await makeBench(repo);
    await workspace.commitFiles({
      base: old,
      files: { "package.json": '{"name":"new","dependencies":{"koa":"2"}}', "src/more.py": "" },
      message: "later",
    });
    const map = await mapRepository(workspace, old);
    expect(map.stack.frameworks).toEqual(["Express"]);
    expect(map.signals.languages).toEqual([{ name: "JavaScript", files: 1 }]);
  });

  it("goes on without a manifest that is too large to be read", async () => {
    const repo = makeRepo({ "package.json": `{"name":"${"x".repeat(300_000)}"}`, "a.ts": "" });
    const { workspace } = await makeBench(repo);
    expect((await mapRepository(workspace, repo.sha("HEAD"))).signals.packages).toEqual({
      count: 1,
      first: [{ folder: "", manifest: "package.json", name: null }],
    });
  });
});

describe("the knowledge of a repository", () => {
  it("is what it says to agents first, then what agents found out, then what it says to people", async () => {
    const repo = makeRepo({
      "README.md": "readme",
      "Contributing.md": "contributing",
      "ARCHITECTURE.md": "architecture",
      "CLAUDE.md": "claude",
      "AGENTS.md": "agents",
      "doc/loom/knowledge/traps.md": "traps",
      "doc/loom/knowledge/parts/core.md": "core",
      ".loom/knowledge/habits.md": "habits",
      ".loom/knowledge/picture.png": "png",
      "src/README.md": "of a part",
      "empty/AGENTS.md": "not at the root",
    });
    const { workspace } = await makeBench(repo);
    expect(await readKnowledge(workspace, repo.sha("HEAD"))).toEqual([
      { path: "AGENTS.md", text: "agents" },
      { path: "CLAUDE.md", text: "claude" },
      { path: ".loom/knowledge/habits.md", text: "habits" },
      { path: "doc/loom/knowledge/traps.md", text: "traps" },
      { path: "doc/loom/knowledge/parts/core.md", text: "core" },
      { path: "ARCHITECTURE.md", text: "architecture" },
      { path: "Contributing.md", text: "contributing" },
      { path: "README.md", text: "readme" },
    ]);
  });

  it("does not come from a commit that nobody merged", async () => {
    const repo = makeRepo({ "AGENTS.md": "merged" });
    const merged = repo.sha("HEAD");
    const { workspace } = await makeBench(repo);
    await workspace.commitFiles({
      base: merged,
      files: { "AGENTS.md": "poisoned", "doc/loom/knowledge/x.md": "poisoned" },
      message: "not merged",
    });
    expect(await readKnowledge(workspace, merged)).toEqual([{ path: "AGENTS.md", text: "merged" }]);
  });

  it("is cut, each text and all of them together", async () => {
    const notes = Array.from({ length: 12 }, (_, n) => [
      `doc/loom/knowledge/n${String(n).padStart(2, "0")}.md`,
      "x".repeat(5_000),
    ]);
    const repo = makeRepo({
      "AGENTS.md": "a".repeat(9_000),
      ...Object.fromEntries(notes),
      "README.md": "last",
    });
    const { workspace } = await makeBench(repo);
    const knowledge = await readKnowledge(workspace, repo.sha("HEAD"));
    const lengths = knowledge.map(({ text }) => text.length);
    expect(knowledge[0]?.text.slice(-28)).toBe("aaa\n… (3000 more characters)");
    expect(Math.max(...lengths)).toBeLessThanOrEqual(6_000 + 32);
    expect(lengths.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(40_000 + 32);
    expect(knowledge).toHaveLength(8);
  });
});
