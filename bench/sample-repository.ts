import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A repository of a small project's size, so that checking files out costs what it costs. */
export function sampleRepository(files = 200): string {
  const folder = mkdtempSync(join(tmpdir(), "loom-bench-"));
  const repository = join(folder, "repository");
  for (let n = 0; n < files; n += 1) {
    const sub = join(repository, `part-${n % 20}`);
    mkdirSync(sub, { recursive: true });
    writeFileSync(join(sub, `file-${n}.txt`), `${`line of file ${n}\n`.repeat(60)}`);
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
