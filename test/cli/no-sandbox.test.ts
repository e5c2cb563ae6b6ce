import { describe, expect, it } from "vitest";
import { makeProject, normalise } from "../scenario/project.ts";
import { NO_SANDBOX_NOTE } from "../support/loom-cli.ts";

function times(text: string): number {
  return text.split("No sandbox:").length - 1;
}

describe("work without a sandbox", () => {
  it("begins with one warning that says what that means and how to have one", async () => {
    const project = makeProject({ stages: [{ id: "one" }, { id: "two", dependencies: ["one"] }] });
    const { code, stdout, stderr } = await project.with({ whole: true }).loom("run", "PLAN.md");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const begin = normalise(stdout).split("\n").slice(0, 3).join("\n");
    expect(begin).toMatchInlineSnapshot(`
      "PLAN.md has 2 warnings; \`loom plan check PLAN.md\` shows them.
      No sandbox: agents and checks run with your rights and can read your files and use your network. Set LOOM_SANDBOX=auto to have one.
      <time>  Run plan-<hash>: 2 stages into main with command, 4 at a time."
    `);
    expect(stdout).toContain(`${NO_SANDBOX_NOTE}\n`);
    expect(times(stdout)).toBe(1);
  });

  it("is a notice of its own for programs that read the output", async () => {
    const project = makeProject({ stages: [{ id: "one" }] });
    const { lines } = await project.with({ whole: true }).loom("run", "PLAN.md", "--json");
    expect(lines.filter((line) => times(JSON.stringify(line)) > 0)).toEqual([
      { type: "notice", text: NO_SANDBOX_NOTE },
    ]);
    expect(lines.findIndex(({ text }) => text === NO_SANDBOX_NOTE)).toBeLessThan(
      lines.findIndex(({ type }) => type === "run-created"),
    );
  });

  it("is warned of again when it goes on, but not when somebody just looks or ends it", async () => {
    const project = makeProject({ stages: [{ id: "one", retries: 0 }], agent: "exit 1" });
    const whole = project.with({ whole: true });
    for (const args of [["run", "PLAN.md"], ["run", "PLAN.md"], ["resume"], ["retry", "plan", "one"]])
      expect([args, times((await whole.ask(...args)).stdout)]).toEqual([args, 1]);
    for (const args of [["status"], ["runs"], ["logs", "plan"], ["cancel", "plan"], ["run", "PLAN.md"]]) {
      const { stdout, stderr } = await whole.ask(...args);
      expect([args, times(stdout + stderr)]).toEqual([args, 0]);
    }
  });

  it("goes without saying where a sandbox isolates", async () => {
    const project = makeProject({ stages: [{ id: "one" }] });
    const walled = project.with({ whole: true, env: { LOOM_SANDBOX: "auto" } });
    const { code, stdout } = await walled.loom("run", "PLAN.md");
    expect([code, times(stdout)]).toEqual([0, 0]);
    expect(project.read("one.txt")).toBe("one\n");
  });
});

describe("a sandbox that can't be had", () => {
  it("keeps a run from beginning, and nothing is changed", async () => {
    const project = makeProject({ stages: [{ id: "one" }] });
    const before = project.git("for-each-ref");
    const answers = [
      await project.with({ env: { LOOM_SANDBOX: "on" } }).ask("run", "PLAN.md"),
      await project.with({ env: { LOOM_SANDBOX: "container" } }).ask("run", "PLAN.md"),
      await project
        .with({ env: { LOOM_SANDBOX: "off", LOOM_SANDBOX_CMD: "boundary" } })
        .ask("run", "PLAN.md"),
      await project
        .with({ env: { LOOM_SANDBOX: "", LOOM_SANDBOX_CMD: "no-such-sandbox" } })
        .ask("run", "PLAN.md"),
    ];
    expect(answers.map(({ stdout }) => stdout).join("")).toBe("");
    expect(answers.map(({ code, stderr }) => `${stderr}=> ${code}\n`).join("")).toMatchInlineSnapshot(`
      "loom: LOOM_SANDBOX is "on", which Loom does not know.
            Set it to one of: auto, bubblewrap, container, off.
      => 2
      loom: LOOM_SANDBOX=container needs the name of an image.
            Set LOOM_SANDBOX_IMAGE to an image that has Node and git, such as LOOM_SANDBOX_IMAGE=node:22.
      => 2
      loom: Both LOOM_SANDBOX=off and LOOM_SANDBOX_CMD are set.
            Unset one of them: LOOM_SANDBOX_CMD brings its own sandbox.
      => 2
      loom: LOOM_SANDBOX_CMD names no-such-sandbox, which was not found on PATH.
            Install it, or write its whole path.
      => 2
      "
    `);
    expect(project.git("for-each-ref")).toBe(before);
    // Who only looks needs none.
    const looking = await project.with({ env: { LOOM_SANDBOX: "container" } }).ask("runs");
    expect(looking).toMatchObject({ code: 0, stderr: "" });
    expect(looking.stdout).toContain("No runs yet");
  });
});
