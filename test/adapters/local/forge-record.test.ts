import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createLocalForge } from "../../../src/adapters/local/forge.ts";
import type { RecordOutcome } from "../../../src/ports/forge.ts";
import { makeBench, makeRepo, type TestRepo } from "../../support/git-repo.ts";

async function makeWorld(repo: TestRepo = makeRepo()) {
  const { repoGit } = await makeBench(repo);
  return { repo, forge: await createLocalForge({ git: repoGit, target: "main" }) };
}

function commitOf(outcome: RecordOutcome): string {
  if (outcome.kind !== "recorded") throw new Error(outcome.reason);
  return outcome.commit;
}

const DOCUMENTS = {
  ".loom/run-1/PLAN.md": "# Plan\r\n",
  ".loom/run-1/reports/a.md": "",
  ".loom/run-1/ü.md": "ü\n",
};

describe("recording a run", () => {
  it("is one commit with the documents, byte for byte, and the checkout follows", async () => {
    const { repo, forge } = await makeWorld();
    repo.write({ ".gitignore": ".loom/\n" });
    const before = repo.commit();
    const commit = commitOf(
      await forge.record({ run: "run-1", files: DOCUMENTS, message: "Record the run run-1" }),
    );
    expect(repo.sha("main")).toBe(commit);
    expect(repo.sha(`${commit}^`)).toBe(before);
    expect(repo.git("show", "-s", "--format=%an%n%B", commit)).toBe(
      "Pat Person\nRecord the run run-1\n\nLoom-Run: run-1\nLoom-Record: completed",
    );
    for (const [path, text] of Object.entries(DOCUMENTS)) {
      expect(readFileSync(join(repo.root, path), "utf8")).toBe(text);
    }
    expect(repo.git("status", "--porcelain")).toBe("");
  });

  it("finds what it recorded before, and replaces what differs", async () => {
    const { repo, forge } = await makeWorld();
    const first = commitOf(await forge.record({ run: "run-1", files: DOCUMENTS, message: "Record" }));
    expect(commitOf(await forge.record({ run: "run-1", files: DOCUMENTS, message: "Record" }))).toBe(first);
    const changed = { ...DOCUMENTS, ".loom/run-1/PLAN.md": "# Other\n" };
    const second = commitOf(await forge.record({ run: "run-1", files: changed, message: "Record" }));
    expect(repo.git("diff", "--name-only", first, second)).toBe(".loom/run-1/PLAN.md");
  });

  it("keeps runs apart, also two that are recorded at the same time", async () => {
    const { repo, forge } = await makeWorld();
    await Promise.all(
      ["run-1", "run-2", "run-3"].map((run) =>
        forge.record({ run, files: { [`.loom/${run}/PLAN.md`]: run }, message: "Record" }),
      ),
    );
    expect(repo.git("ls-tree", "-r", "--name-only", "main", ".loom/").split("\n")).toEqual([
      ".loom/run-1/PLAN.md",
      ".loom/run-2/PLAN.md",
      ".loom/run-3/PLAN.md",
    ]);
    expect(repo.git("status", "--porcelain")).toBe("");
  });

  it("is held when something of the person's stands in its place", async () => {
    const { repo, forge } = await makeWorld();
    repo.write({ ".loom/run-1/PLAN.md": "mine\n" });
    const tip = repo.sha("main");
    const outcome = await forge.record({ run: "run-1", files: DOCUMENTS, message: "Record" });
    expect(outcome).toMatchObject({ kind: "held", reason: expect.stringContaining("`.loom/run-1/PLAN.md`") });
    expect(repo.sha("main")).toBe(tip);
  });

  it("does not write through a link", async () => {
    const repo = makeRepo({ "docs/x": "x\n" });
    symlinkSync("docs", join(repo.root, ".loom"));
    repo.commit();
    const { forge } = await makeWorld(repo);
    const outcome = await forge.record({ run: "run-1", files: DOCUMENTS, message: "Record" });
    expect(outcome).toEqual({
      kind: "held",
      reason: "`.loom` is not a folder on the target branch, so the run can't be recorded there.",
      next: "Remove or rename `.loom`, then run `loom resume`.",
    });
  });

  it("has no place outside the run's own folder", async () => {
    const { forge } = await makeWorld();
    for (const path of [
      "README.md",
      ".loom/other/x",
      ".loom/run-1/../../x",
      ".loom/run-1/.git/x",
      ".loom/run-1/",
    ]) {
      await expect(forge.record({ run: "run-1", files: { [path]: "x" }, message: "m" })).rejects.toThrow(
        "is no place",
      );
    }
  });
});

describe("forgetting a run", () => {
  it("takes its documents out again, and only those", async () => {
    const { repo, forge } = await makeWorld();
    await forge.record({ run: "run-1", files: DOCUMENTS, message: "Record" });
    await forge.record({ run: "run-10", files: { ".loom/run-10/PLAN.md": "x" }, message: "Record" });
    const commit = await forge.forget("run-1");
    expect(repo.sha("main")).toBe(commit);
    expect(repo.git("ls-tree", "-r", "--name-only", "main", ".loom/")).toBe(".loom/run-10/PLAN.md");
    expect(existsSync(join(repo.root, ".loom/run-1"))).toBe(false);
    expect(repo.git("log", "-1", "--format=%B")).toBe(
      "Remove the record of the run run-1\n\nLoom-Run: run-1\nLoom-Record: removed",
    );
    expect(await forge.forget("run-1")).toBeNull();
  });

  it("says why not when the checkout can't follow", async () => {
    const { repo, forge } = await makeWorld();
    await forge.record({ run: "run-1", files: DOCUMENTS, message: "Record" });
    repo.write({ ".loom/run-1/PLAN.md": "edited\n" });
    await expect(forge.forget("run-1")).rejects.toMatchObject({
      name: "UserError",
      message: expect.stringContaining("`.loom/run-1/PLAN.md`"),
    });
  });
});
