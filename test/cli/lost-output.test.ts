import { execFileSync, spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { normalise } from "../scenario/project.ts";
import { tempFolder } from "../support/git-repo.ts";
import { FINDINGS, taskProject, USAGE } from "./task-project.ts";

const CLI = resolve(import.meta.dirname, "../../dist/src/cli/main.js");

/** A disk without room. */
function fullDisk(): number {
  const file = openSync("/dev/full", "w");
  onTestFinished(() => closeSync(file));
  return file;
}

describe("a result that can't be written", () => {
  it.each([[["review", "--json"]], [["review"]], [["ask", "why", "--json"]]])(
    "loom %j fails, and says where it is kept",
    async (args) => {
      const project = taskProject({
        audit: [USAGE, { answer: FINDINGS }],
        answer: [{ answer: "Because it prints one." }],
      });
      const { code, stderr } = await project.with({ stdout: fullDisk() }).loom(...args);
      expect(code).toBe(1);
      const file = / stands in (.+)\.$/m.exec(stderr)?.[1] ?? "";
      expect(readFileSync(file, "utf8")).toMatch(/It prints one|Because it prints one/);
      const said = stderr.slice(stderr.indexOf("loom: "));
      expect(normalise(said, project).replace(/(review|ask)-<hash>/, "<task>")).toMatchInlineSnapshot(`
        "loom: Standard output can't be written: no space left on device.
              No agent has to work for it twice: what it told stands in /tmp/x/repo/.git/loom/tasks/<task>/events.jsonl.
        "
      `);
    },
  );

  it("is told of every other command as well", async () => {
    const { code, stderr } = await taskProject({}).with({ stdout: fullDisk() }).loom("settings");
    expect(code).toBe(1);
    expect(stderr).toMatchInlineSnapshot(`
      "loom: Standard output can't be written: no space left on device.
            Make room there or send it elsewhere, then try again. \`loom status\` shows what came of a run.
      "
    `);
  });

  it("is noticed when a part of it still found sandbox", () => {
    const out = join(tempFolder(), "out");
    const { status, stderr } = spawnSync(
      "sh",
      ["-c", 'ulimit -f 1; exec "$0" "$@" > "$OUT"', process.execPath, CLI, "--help"],
      { env: { ...process.env, OUT: out }, encoding: "utf8" },
    );
    expect(readFileSync(out, "utf8")).toMatch(/^Usage: loom/);
    expect([status, stderr.split("\n")[0]]).toEqual([
      1,
      "loom: Standard output can't be written: file too large.",
    ]);
  });
});

it("a reader that leaves is no failure", () => {
  const script = '{ "$0" "$@"; echo "=> $?" >&3; } | true';
  const told = execFileSync("bash", ["-c", `{ ${script}; } 3>&1`, process.execPath, CLI, "--help"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  expect(told).toBe("=> 0\n");
});
