import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { FINDINGS, type TaskProject, taskProject } from "./task-project.ts";

function project(): TaskProject {
  return taskProject({ audit: [{ answer: FINDINGS }] });
}

/** As a process of its own, which is not waited for longer than the test. */
async function see(
  { with: under }: TaskProject,
  env: Record<string, string>,
  ...args: string[]
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const loom = under({ env }).start(...args);
  onTestFinished(() => loom.kill("SIGKILL"));
  return loom.finished;
}

describe("a place for temporary files that can't be used", () => {
  it.each(["/nonexistent", "tmp"])("is named with what to do: %s", async (TMPDIR) => {
    const { code, stderr } = await see(project(), { TMPDIR, LOOM_SANDBOX: "auto" }, "review");
    expect(code).toBe(1);
    const reason = TMPDIR === "tmp" ? "its path is not absolute" : "no such file or directory";
    expect(stderr).toBe(
      `loom: Temporary files can't be made in ${TMPDIR}: ${reason}.\n      Set TMPDIR to a folder that you may write to.\n`,
    );
  });

  it("is found by loom doctor", async () => {
    const { code, stdout } = await see(project(), { TMPDIR: "/nonexistent" }, "doctor");
    expect(code).toBe(1);
    expect(stdout.slice(stdout.indexOf("✗"))).toMatchInlineSnapshot(`
      "✗ temporary files  Temporary files can't be made in /nonexistent: no such file or directory.
                         Set TMPDIR to a folder that you may write to.

      1 thing has to be fixed before Loom can run here.
      "
    `);
  });

  it("stops nobody who only looks", async () => {
    const { code, stderr } = await see(project(), { TMPDIR: "/nonexistent" }, "runs");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });
});

it("an empty or relative HOME leads to the user's own folders, never into the repository", async () => {
  const at = project();
  const env = { HOME: "", XDG_CACHE_HOME: "cache", LOOM_TREES: "" };
  expect((await at.with({ env }).ask("review")).code).toBe(0);
  expect(at.git("status", "--porcelain", "--ignored")).toBe("");
  expect(existsSync(join(process.env.HOME ?? "", ".cache/loom"))).toBe(true);
});

// Its owner is root, whom no right is denied and for whom nothing can be made in it all the same.
describe("a folder below /proc", () => {
  it.each([
    ["LOOM_TREES", "Work trees can't stand in /proc/x: /proc can't be written to: "],
    ["XDG_CACHE_HOME", "Homes of agents can't stand in /proc/x/loom/sandboxes/"],
  ])("in %s is refused before anything is started", async (name, sentence) => {
    const { code, stderr } = await see(project(), { [name]: "/proc/x" }, "review");
    expect(code).toBe(1);
    expect(stderr).toContain(`loom: ${sentence}`);
    expect(stderr).toContain(`Set ${name}`);
  });

  it("is found by loom doctor", async () => {
    const { code, stdout } = await see(project(), { LOOM_TREES: "/proc/x" }, "doctor");
    expect(code).toBe(1);
    expect(stdout).toMatch(/^✗ work trees +\/proc can't be written to: /m);
  });
});
