import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeBench, makeRepo } from "../../support/git-repo.ts";

describe("reading from a commit", () => {
  it("lists regular files only, whatever their names", async () => {
    const repo = makeRepo({ "a b.txt": "1\n", "ü/ö.txt": "2\n", "tab\tname": "3\n", "-dash": "4\n" });
    symlinkSync("/etc/passwd", join(repo.root, "link"));
    repo.git("update-index", "--add", "--cacheinfo", `160000,${repo.sha("HEAD")},sub`);
    repo.git("add", "link");
    repo.git("commit", "-qm", "more");
    const { workspace } = await makeBench(repo);
    expect((await workspace.listFiles(repo.sha("HEAD"))).sort()).toEqual([
      "-dash",
      "a b.txt",
      "tab\tname",
      "ü/ö.txt",
    ]);
    expect([...(await workspace.links(repo.sha("HEAD")))]).toEqual([["link", "/etc/passwd"]]);
  });

  it("reads a file, and nothing that is not one", async () => {
    const repo = makeRepo({
      "dir/a.txt": "text ü\n",
      "-dash": "d\n",
      "*": "star\n",
      "big.txt": "x".repeat(101),
    });
    symlinkSync("/etc/passwd", join(repo.root, "link"));
    symlinkSync("dir", join(repo.root, "folder"));
    repo.commit();
    const { workspace } = await makeBench(repo);
    const read = (path: string) => workspace.readFile(repo.sha("HEAD"), path, 100);
    expect(await read("dir/a.txt")).toBe("text ü\n");
    expect(await read("-dash")).toBe("d\n");
    expect(await read("*")).toBe("star\n");
    for (const path of [
      "link",
      "folder/a.txt",
      "dir",
      "dir/",
      "none",
      "big.txt",
      "../a",
      "/etc/passwd",
      "d*",
    ]) {
      expect(await read(path)).toBeNull();
    }
  });

  it("shows a diff as text, cut with the cut counted", async () => {
    const repo = makeRepo({ "a.txt": "old\n", "b.txt": "b\n" });
    const from = repo.sha("HEAD");
    repo.write({ "a.txt": `${"ü".repeat(400)}\n`, "b.txt": "B\n" });
    const to = repo.commit();
    const { workspace } = await makeBench(repo);
    const whole = await workspace.diff(from, to, { maxBytes: 100_000 });
    expect(whole).toContain("+B\n");
    expect(whole).not.toContain("not shown");
    const cut = await workspace.diff(from, to, { maxBytes: 201 });
    const [shown = "", rest = ""] = cut.split("\n… ");
    expect(whole.startsWith(shown)).toBe(true);
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(201);
    expect(rest).toBe(
      `(${Buffer.byteLength(whole) - Buffer.byteLength(shown)} more bytes of this diff are not shown)\n`,
    );
    expect(await workspace.diffStart(from, to, { maxBytes: 100_000 })).toEqual({ text: whole, cut: null });
    const { text: start, cut: missing } = await workspace.diffStart(from, to, { maxBytes: 201 });
    expect(start.endsWith("\n") && whole.startsWith(start)).toBe(true);
    expect(missing?.bytes).toBe(Buffer.byteLength(whole) - Buffer.byteLength(start));
    expect(missing?.files).toBe(whole.match(/^diff --git /gm)?.length);
    const only = await workspace.diff(from, to, { maxBytes: 100_000, paths: ["b.txt"] });
    expect(only).toContain("+B\n");
    expect(only).not.toContain("a.txt");
    expect(await workspace.diff(from, from, { maxBytes: 100 })).toBe("");
  });

  it("knows ancestors, those it saw being made and others", async () => {
    const repo = makeRepo();
    const first = repo.sha("HEAD");
    const second = repo.commit();
    repo.git("checkout", "-q", "-b", "side", first);
    const side = repo.commit("side");
    const { workspace } = await makeBench(repo);
    expect(await workspace.isAncestor(first, second)).toBe(true);
    expect(await workspace.isAncestor(second, second)).toBe(true);
    expect(await workspace.isAncestor(second, first)).toBe(false);
    expect(await workspace.isAncestor(second, side)).toBe(false);
    expect(await workspace.isAncestor("1".repeat(40), side)).toBe(false);
  });

  it("refuses anything that is not an object name", async () => {
    const { workspace } = await makeBench();
    for (const name of ["HEAD", "--all", "main~1", "../x", ""]) {
      await expect(workspace.listFiles(name)).rejects.toThrow("is not an object name");
      await expect(workspace.open(name)).rejects.toThrow("is not an object name");
      await expect(workspace.isAncestor(name, name.repeat(2))).rejects.toThrow("is not an object name");
    }
  });
});
