import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeRepo, tempFolder } from "../support/git-repo.ts";
import { startLoom } from "../support/loom-cli.ts";

it("shows where something went wrong inside Loom as lines of the sources, if asked to", async () => {
  const programs = tempFolder();
  writeFileSync(join(programs, "git"), "#!/bin/sh\nkill -9 $$\n");
  chmodSync(join(programs, "git"), 0o755);
  const status = async (env: Record<string, string>) => {
    const settings = { PATH: `${programs}:${process.env.PATH}`, ...env };
    const { code, stderr } = await startLoom(["status"], { cwd: makeRepo().root, env: settings }).finished;
    expect(code).toBe(1);
    return stderr;
  };
  expect(await status({})).not.toMatch(/^ +at /m);
  const stack = await status({ LOOM_DEBUG: "1" });
  expect(stack).toMatch(/^ +at .*openRepository \(src\/adapters\/local\/open-repository\.ts:\d+:\d+\)$/m);
  expect(stack).not.toContain("dist/");
});
