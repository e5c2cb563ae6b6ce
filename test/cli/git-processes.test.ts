import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeProject } from "../scenario/project.ts";

/** Notes each program that Loom starts, from within. */
const HOOK = `
import { ChildProcess } from "node:child_process";
import { appendFileSync } from "node:fs";
const { spawn } = ChildProcess.prototype;
ChildProcess.prototype.spawn = function (options) {
  appendFileSync(process.env.STARTED, JSON.stringify([options.file, ...options.args.slice(1)]) + "\\n");
  return spawn.call(this, options);
};
`;

/** Those that stay for many questions, and are started again after a second without any. */
const LASTING = ["cat-file", "diff-tree"];

/** How often each command of git was started in a run of so many stages. */
async function countGit(stages: number): Promise<Map<string, number>> {
  const ids = Array.from({ length: stages }, (_, at) => `s${at + 1}`);
  const project = makeProject({
    stages: ids.map((id) => ({ id, files: [`${id}.txt`], acceptance: [`test -f ${id}.txt`] })),
    files: { "old.txt": "one\ntwo\n" },
    agent: 'echo "$LOOM_STAGE_ID" > "$LOOM_STAGE_ID.txt"',
  });
  const [hook, started] = [join(project.notes, "hook.mjs"), join(project.notes, "started")];
  writeFileSync(hook, HOOK);
  writeFileSync(started, "");
  const env = { NODE_OPTIONS: `--import=${hook}`, STARTED: started };
  const result = await project.with({ env }).loom("run", "PLAN.md", "--max-parallel", "1");
  expect(result).toMatchObject({ code: 0, stderr: "" });
  expect(project.mergedStages()).toHaveLength(stages);
  const counts = new Map<string, number>();
  for (const line of readFileSync(started, "utf8").trim().split("\n")) {
    const [program = "", ...args] = JSON.parse(line) as string[];
    if (basename(program) !== "git") continue;
    const command = args.find((arg, at) => !arg.startsWith("-") && args[at - 1] !== "-c") ?? "";
    counts.set(command, (counts.get(command) ?? 0) + 1);
  }
  return counts;
}

describe("a stage that goes well", () => {
  it("asks git so often and no more", async () => {
    const [few, many] = [await countGit(2), await countGit(10)];
    const perStage = new Map(
      [...new Set([...few.keys(), ...many.keys()])]
        .map((command) => [command, ((many.get(command) ?? 0) - (few.get(command) ?? 0)) / 8] as const)
        .filter(([, count]) => count > 0),
    );
    const sum = (isCounted: (command: string) => boolean): number =>
      [...perStage].filter(([command]) => isCounted(command)).reduce((all, [, count]) => all + count, 0);
    const shown = JSON.stringify([...perStage]);
    expect(
      sum((command) => !LASTING.includes(command)),
      shown,
    ).toBeLessThanOrEqual(8);
    // On a machine that takes a second between two questions, each may be started for each stage.
    expect(
      sum((command) => LASTING.includes(command)),
      shown,
    ).toBeLessThanOrEqual(3);
    expect(perStage.get("ls-files"), shown).toBeLessThanOrEqual(1.5);
    for (const command of ["commit-tree", "write-tree", "update-index", "merge-tree", "for-each-ref"])
      expect(perStage.get(command) ?? 0, shown).toBeLessThan(0.5);
  });
});
