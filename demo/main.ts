import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packageRoot } from "../src/wiring/package-root.ts";

/**
 * The main job on a machine that has nothing but Node and git: a sample repository, a plan of seven stages, the
 * scripted agent, and the same `loom run` that everybody uses.
 */
const home = join(packageRoot(), "demo");
const folder = mkdtempSync(join(tmpdir(), "loom-demo-"));
const repository = join(folder, "wordcount");

function git(...args: string[]): string {
  const result = spawnSync("git", args, { cwd: repository, encoding: "utf8" });
  if (result.error)
    throw new Error(`git can't be started: ${result.error.message}. Install git and try again.`);
  if (result.status !== 0) throw new Error(`git ${args.join(" ")} failed: ${result.stderr}`);
  return result.stdout.trimEnd();
}

function prepare(): void {
  cpSync(join(home, "sample"), repository, { recursive: true });
  cpSync(join(home, "PLAN.md"), join(repository, "PLAN.md"));
  git("init", "--quiet", "--initial-branch=main");
  git("config", "user.name", "Demo");
  git("config", "user.email", "demo@localhost");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Start wordcount with a plan");
}

function runPlan(): Promise<number> {
  const cli = join(packageRoot(), "dist", "src", "cli", "main.js");
  const child = spawn(process.execPath, [cli, "run", "PLAN.md", "--harness", "scripted"], {
    cwd: repository,
    env: { ...process.env, LOOM_SCRIPT: join(home, "script.yaml") },
    stdio: "inherit",
  });
  // Ctrl-C reaches the child too; it puts its work down and says so, and we wait for that.
  process.on("SIGINT", () => {});
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => resolve(code ?? 1));
  });
}

function look(code: number): void {
  console.log(`
What main looks like now (git log --reverse):
${git(
  "log",
  "--reverse",
  "--format=  %h  %s%n           %(trailers:key=Loom-Stage,key=Loom-Attempt,separator=%x2C )",
)
  .split("\n")
  .filter((line) => line.trim() !== "")
  .join("\n")}

Try what was built:  cd ${repository} && printf 'a rose is a rose' | node src/cli.js
Read the plan:       ${join(home, "PLAN.md")}
Read the script:     ${join(home, "script.yaml")}
`);
  if (code !== 0)
    console.log(
      `The run did not complete. Its state is kept in ${repository}; \`loom status\` there shows it.`,
    );
}

try {
  console.log(
    `A sample repository in ${repository}, and a scripted agent: no model is at work, no key is needed.\n`,
  );
  prepare();
  const code = await runPlan();
  look(code);
  process.exitCode = code;
} catch (error) {
  console.error(`The demo could not run: ${error instanceof Error ? error.message : String(error)}`);
  rmSync(folder, { recursive: true, force: true });
  process.exitCode = 1;
}
