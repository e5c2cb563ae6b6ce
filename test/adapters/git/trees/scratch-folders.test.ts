import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, utimesSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, it } from "vitest";
import { makeScratchFolder } from "../../../../src/adapters/git/trees/scratch-folders.ts";
import { tempFolder } from "../../../support/git-repo.ts";

it("a new scratch folder takes along what killed processes left, and nothing of others that live", async () => {
  const parent = tempFolder();
  const where = basename(await makeScratchFolder(tempFolder())).split("-")[1];
  const dead = spawnSync("true").pid;
  const kept = [`op-${where}-${process.ppid}-abc`, "op-00000000-1-abc"];
  for (const name of [`op-${where}-${dead}-abc`, "op-abcdef", "op-00000000-2-abc", ...kept])
    mkdirSync(join(parent, name));
  const longAgo = new Date(Date.now() - 49 * 3_600_000);
  for (const name of ["op-abcdef", "op-00000000-2-abc"]) utimesSync(join(parent, name), longAgo, longAgo);

  const made = await makeScratchFolder(parent);
  expect(readdirSync(parent).sort()).toEqual([...kept, basename(made)].sort());
});
