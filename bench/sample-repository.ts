import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { sampleFiles } from "./support/sample-files.ts";

/** A repository of a small project's size, so that checking files out costs what it costs. */
export function sampleRepository(files = 200): string {
  const folder = mkdtempSync(join(tmpdir(), "loom-bench-"));
  const repository = join(folder, "repository");
  for (const [path, text] of Object.entries(sampleFiles(files))) {
    mkdirSync(join(repository, dirname(path)), { recursive: true });
    writeFileSync(join(repository, path), text);
  }
  const git = (...args: string[]): void =>
    void execFileSync("git", args, { cwd: repository, stdio: "ignore" });
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Bench");
  git("config", "user.email", "bench@localhost");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Start");
  return repository;
}
