import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createBareRepository } from "../../playground/git/bare-repository.ts";
import { exitCode, gitEnvironment, runGit } from "../../playground/git/run-git.ts";
import { startGit } from "../../playground/git/start-git.ts";
import { childrenOf, commandLineOf, until } from "../support/living-processes.ts";

let root: string;
let repo: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "playground-runner-"));
  repo = join(root, "a.git");
  await createBareRepository(repo, { "a.txt": "a\n" });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function runnerPid(): number {
  const [pid = 0] = childrenOf(process.pid).filter((child) => commandLineOf(child).includes("git-runner.js"));
  return pid;
}

function isAtWork(): boolean {
  return childrenOf(runnerPid()).some((pid) => commandLineOf(pid).includes("cat-file --batch-check"));
}

it("carries large texts both ways, unchanged", async () => {
  const input = randomBytes(5_000_000);
  const sha = (await runGit(repo, ["hash-object", "-w", "--stdin"], { input })).stdout.trim();
  expect((await runGit(repo, ["cat-file", "blob", sha])).bytes.equals(input)).toBe(true);
});

it("does many things at once", async () => {
  const shas = await Promise.all(
    Array.from({ length: 50 }, (_, n) => runGit(repo, ["hash-object", "--stdin"], { input: `${n}` })),
  );
  expect(new Set(shas.map(({ stdout }) => stdout)).size).toBe(50);
});

it("ends git when who asked has hung up", async () => {
  const running = await startGit(["--git-dir", repo, "cat-file", "--batch-check"], gitEnvironment());
  await until(() => isAtWork(), "git has begun");
  running.kill();
  await until(() => !isAtWork(), "git has ended");
});

it("says so when git can't be started", async () => {
  await expect(runGit(repo, ["version"], { env: { PATH: "/nonexistent" } })).rejects.toThrow(
    "failed to start git: spawn git ENOENT",
  );
});

it("is started again when it was killed, and loses only what was under way", async () => {
  const before = runnerPid();
  const running = await startGit(["--git-dir", repo, "cat-file", "--batch-check"], gitEnvironment());
  await until(() => isAtWork(), "git has begun");
  process.kill(before, "SIGKILL");
  expect(await exitCode(running, () => {})).toBeNull();
  // With all its threads: until then its socket takes connections that lead nowhere.
  await until(() => !existsSync(`/proc/${before}`), "it is gone");
  expect((await runGit(repo, ["rev-parse", "--is-bare-repository"])).stdout).toBe("true\n");
  expect(runnerPid()).not.toBe(before);
});
