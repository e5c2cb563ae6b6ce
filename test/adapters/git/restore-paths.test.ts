import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeBench, makeRepo } from "../../support/git-repo.ts";

describe("paths of another commit laid over a commit", () => {
  it("come with their modes, as links and byte by byte, whatever stands in their way", async () => {
    const repo = makeRepo({
      "test/run.sh": "exit 1\n",
      "test/deep/a.txt": "a\n",
      "plain.txt": "p\n",
      "b.txt": "b\n",
    });
    const at = (path: string): string => join(repo.root, path);
    chmodSync(at("test/run.sh"), 0o755);
    writeFileSync(at("test/data.bin"), Buffer.from([0, 255, 254, 10]));
    symlinkSync("plain.txt", at("link"));
    const base = repo.commit();
    // A link where a folder was, a folder where a file was, and a file that the base lacks.
    for (const path of ["test", "plain.txt", "link"]) rmSync(at(path), { recursive: true });
    mkdirSync(at("plain.txt"));
    repo.write({
      "plain.txt/x": "x\n",
      "other/run.sh": "exit 0\n",
      "new.cfg": "n\n",
      "b.txt": "b2\n",
      link: "l\n",
    });
    symlinkSync("other", at("test"));
    const commit = repo.commit();

    const { workspace } = await makeBench(repo);
    const paths = [
      "test/run.sh",
      "test/data.bin",
      "test/deep/a.txt",
      "plain.txt",
      "link",
      "new.cfg",
      "never",
    ];
    const laid = await workspace.commitFiles({
      ...{ base: commit, files: { "b.txt": "b3\n" }, message: "laid" },
      restore: { from: base, paths },
    });
    const tree = repo.git("ls-tree", "-r", laid);
    for (const path of paths.slice(0, 5)) expect(tree).toContain(repo.git("ls-tree", base, path));
    expect(repo.git("ls-tree", "-r", "--name-only", laid).split("\n").sort()).toEqual(
      [...paths.slice(0, 5), "b.txt", "other/run.sh"].sort(),
    );
    expect(repo.git("show", `${laid}:b.txt`)).toBe("b3");
    expect(repo.git("show", `${laid}:other/run.sh`)).toBe("exit 0");
  });
});
