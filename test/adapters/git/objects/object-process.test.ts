import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { createObjectProcess } from "../../../../src/adapters/git/objects/object-process.ts";
import { makeBench, makeRepo } from "../../../support/git-repo.ts";

const MISSING = "1".repeat(40);

/** The same git as Loom starts, with a hand on its processes. */
function conversation() {
  const repo = makeRepo({ "a.txt": "text ü\n", empty: "", "big.bin": "0123456789".repeat(100_000) });
  const started: ReturnType<typeof start>[] = [];
  const start = () => spawn("git", ["cat-file", "--batch-command"], { cwd: repo.root, stdio: "pipe" });
  const objects = createObjectProcess(() => {
    const child = start();
    started.push(child);
    return child;
  });
  return { repo, objects, started };
}

describe("one process for all questions about objects", () => {
  it("answers each question with its own object, however many are asked at once", async () => {
    const { repo, objects, started } = conversation();
    const [text, empty, big] = ["a.txt", "empty", "big.bin"].map((path) => repo.sha(`HEAD:${path}`));
    const answers = await Promise.all([
      objects.read(big ?? ""),
      objects.look(text ?? ""),
      objects.read(MISSING),
      objects.read(empty ?? ""),
      objects.look(MISSING),
      objects.read(text ?? ""),
      objects.look(repo.sha("HEAD")),
    ]);
    expect(answers.map((answer) => answer && [answer.type, answer.size])).toEqual([
      ["blob", 1_000_000],
      ["blob", 8],
      null,
      ["blob", 0],
      null,
      ["blob", 8],
      ["commit", expect.any(Number)],
    ]);
    expect((await objects.read(big ?? ""))?.content.equals(Buffer.from("0123456789".repeat(100_000)))).toBe(
      true,
    );
    expect((await objects.read(text ?? ""))?.content.toString()).toBe("text ü\n");
    // What is new is found as well.
    repo.write({ "later.txt": "later\n" });
    repo.commit();
    expect((await objects.read(repo.sha("HEAD:later.txt")))?.content.toString()).toBe("later\n");
    expect(started).toHaveLength(1);
  });

  it("takes nothing but whole names", async () => {
    const { objects, started } = conversation();
    for (const name of ["HEAD", "abc", `${MISSING}\ninfo ${MISSING}`, "--batch-all-objects", ""])
      expect(() => objects.read(name)).toThrow("is not an object name");
    expect(started).toEqual([]);
  });

  it("says when git ended before it answered, and asks another one afterwards", async () => {
    const { repo, objects, started } = conversation();
    await objects.look(MISSING);
    started[0]?.kill("SIGSTOP");
    const asked = objects.look(repo.sha("HEAD"));
    started[0]?.kill("SIGKILL");
    await expect(asked).rejects.toThrow("failed to run git cat-file");
    expect((await objects.look(repo.sha("HEAD")))?.type).toBe("commit");
    expect(started).toHaveLength(2);
  });

  it("ends by itself when nobody asks any more", async () => {
    const { repo, objects, started } = conversation();
    await objects.look(repo.sha("HEAD"));
    const [child] = started;
    if (!child) throw new Error("nothing was started");
    // The wait for it is not Loom's, which does not hold itself up for it; here something has to.
    child.ref();
    expect(await once(child, "close")).toEqual([0, null]);
    expect((await objects.look(repo.sha("HEAD")))?.type).toBe("commit");
    expect(started).toHaveLength(2);
  });

  it("is gone once it was closed, with what was asked before answered", async () => {
    const { repo, objects, started } = conversation();
    const answer = objects.look(repo.sha("HEAD"));
    await objects.close();
    expect(started.map(({ exitCode }) => exitCode)).toEqual([0]);
    expect((await answer)?.type).toBe("commit");
    await objects.close();
  });

  it("is one for all that a workspace reads", async () => {
    const repo = makeRepo({ "a.txt": "1\n", "b.txt": "2\n" });
    const { workspace, calls } = await makeBench(repo);
    const head = repo.sha("HEAD");
    repo.git("repack", "-adq");
    for (const path of ["a.txt", "b.txt", "a.txt"]) await workspace.readFile(head, path, 100);
    await workspace.has(head);
    expect(calls.filter(({ args }) => args[0] === "cat-file")).toHaveLength(1);
  });
});
