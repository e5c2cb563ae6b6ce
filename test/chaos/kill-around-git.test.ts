import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  expectSoundLedger,
  expectTidy,
  makeScene,
  mergedStages,
  type Scene,
  sessionsOf,
} from "../support/chaos.ts";
import { until } from "../support/living-processes.ts";
import { ending } from "../support/loom-cli.ts";

const GIT = execFileSync("/bin/sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
const AGENT = 'echo "$LOOM_STAGE_ID $LOOM_ATTEMPT" >> "$CHAOS/sessions"; echo x > "$LOOM_STAGE_ID.txt"';

/** Not the question, with -n, whether the checkout could follow. */
const FOLLOW = '*" read-tree -m -u "[0-9a-f]*';

/** A `git` that kills whoever called it, once, before or behind a command of this shape. */
function deadlyGit({ folder }: Scene, when: "before" | "after", shape: string): Record<string, string> {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const file = join(bin, "git");
  const body = when === "before" ? "" : `'${GIT}' "$@"\n`;
  writeFileSync(
    file,
    `#!/bin/sh
case " $* " in
  ${shape}) if mkdir '${join(folder, "killed")}' 2>/dev/null; then
    ${body}kill -9 $PPID
    exit 1
  fi ;;
esac
exec '${GIT}' "$@"
`,
  );
  chmodSync(file, 0o755);
  return { PATH: `${bin}:${process.env.PATH}` };
}

async function runAndDie(scene: Scene, deadly: Record<string, string>, agent = AGENT): Promise<void> {
  const { signal, stderr } = await scene.run(["run", "PLAN.md", "--json"], agent, deadly);
  expect(signal, stderr).toBe("SIGKILL");
  expect(existsSync(join(scene.folder, "killed"))).toBe(true);
  await until(() => scene.living().length === 0, "nothing of the killed process lives");
}

describe("killed around a command of git", () => {
  it.each([
    ["before the work tree (F1)", "before", '*" worktree add "*', 1],
    ["with the work tree made and nobody told", "after", '*" worktree add "*', 1],
    ["with the agent's work stored, and nobody told", "before", '*" diff-tree --stdin "*" -U0 "*', 2],
    ["behind the swap, with the checkout left behind (F6)", "before", FOLLOW, 1],
  ] as const)("%s, the run ends as if nothing had happened", async (_name, when, shape, sessions) => {
    const scene = makeScene([{ id: "one", acceptance: ["test -f one.txt"] }]);
    await runAndDie(scene, deadlyGit(scene, when, shape));
    const finished = await scene.ask(["resume", "--json"], AGENT);
    expect(finished.code, finished.stderr).toBe(0);
    expect(ending(finished).stages.one).toMatchObject({ state: "completed", attempts: 1 });
    expect(sessionsOf(scene)).toEqual({ one: sessions });
    expect(mergedStages(scene)).toEqual(["one"]);
    expect(existsSync(join(scene.repo.root, "one.txt"))).toBe(true);
    expectSoundLedger(scene.ledger());
    expectTidy(scene);
  });

  it("the checkout follows even when nothing is merged afterwards", async () => {
    const scene = makeScene([
      { id: "one", acceptance: ["test -f one.txt"] },
      { id: "two", dependencies: ["one"], retries: 0 },
    ]);
    await runAndDie(scene, deadlyGit(scene, "before", FOLLOW));
    expect(existsSync(join(scene.repo.root, "one.txt"))).toBe(false);
    const finished = await scene.ask(["resume", "--json"], "exit 1");
    expect(ending(finished).status).toBe("blocked");
    expect(mergedStages(scene)).toEqual(["one"]);
    expect(existsSync(join(scene.repo.root, "one.txt"))).toBe(true);
    expectTidy(scene);
  });

  it("a stage whose swap was done counts as merged, although the run was cancelled meanwhile", async () => {
    const scene = makeScene([{ id: "one", acceptance: ["test -f one.txt"] }]);
    await runAndDie(scene, deadlyGit(scene, "before", FOLLOW));
    const run = String(scene.ledger()[0]?.run);
    const finished = await scene.ask(["cancel", run, "--json"], AGENT);
    expect(ending(finished)).toMatchObject({ status: "cancelled", stages: { one: { state: "completed" } } });
    expect(mergedStages(scene)).toEqual(["one"]);
    expectTidy(scene);
  });
});
