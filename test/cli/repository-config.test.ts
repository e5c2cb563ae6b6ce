import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readDesignFile } from "../../src/cli/input/read-design-file.ts";
import { makeProject } from "../scenario/project.ts";
import { ending } from "../support/loom-cli.ts";
import { planAnswer, taskProject } from "./task-project.ts";

const CONFIG = ".github/loom.yml";
const STAGES = [{ id: "first", agent: "coder", acceptance: ["test -f first.txt"], retries: 0 }];

describe(".github/loom.yml of the last commit", () => {
  it("disables agents for plans that are checked and started", async () => {
    const project = makeProject({
      stages: STAGES,
      files: { [CONFIG]: "version: 1\nagents: { disabled: [coder, codr] }\n" },
    });
    const checked = await project.ask("plan", "check", "PLAN.md");
    expect(checked.code).toBe(1);
    expect(checked.stdout).toContain("The agent `coder` is disabled.");
    expect(checked.stderr).toMatchInlineSnapshot(`
      "loom: .github/loom.yml: line 2: There is no agent \`codr\` to disable. Did you mean \`coder\`?
      "
    `);
    const started = await project.ask("run", "PLAN.md");
    expect(started.code).toBe(2);
    expect(started.stderr).toContain("The agent `coder` is disabled.");
  });

  it("keeps nobody from running a longer plan of their own, and says where it would be refused", async () => {
    const project = makeProject({
      stages: [...STAGES, { id: "second", dependencies: ["first"], acceptance: ["test -f second.txt"] }],
      files: { [CONFIG]: "version: 1\nlimits: { max_stages: 1 }\n" },
    });
    const checked = await project.ask("plan", "check", "PLAN.md");
    expect(checked.code).toBe(0);
    expect(checked.stderr).toMatchInlineSnapshot(`
      "loom: The plan has 2 stages. It runs here; on GitHub this repository takes 1 at most (\`limits.max_stages\`).
      "
    `);
    expect((await project.ask("run", "PLAN.md")).code).toBe(0);
    expect(project.mergedStages()).toEqual(["first", "second"]);
  });

  it("stops what it would limit when it can't be understood", async () => {
    const project = makeProject({ stages: STAGES, files: { [CONFIG]: "version: 1\nplaner: {}\n" } });
    for (const args of [
      ["plan", "check", "PLAN.md"],
      ["run", "PLAN.md"],
      ["plan", "new", "Count words", "--force"],
      ["ask", "What is it?"],
      ["review"],
    ]) {
      const { code, stderr } = await project.ask(...args);
      expect([args, code]).toEqual([args, 2]);
      expect(stderr).toContain("loom: .github/loom.yml of the last commit can't be used:");
    }
    expect((await project.ask("plan", "check", "PLAN.md")).stderr).toMatchInlineSnapshot(`
      "loom: .github/loom.yml of the last commit can't be used:
            line 2: Loom does not know \`planer\`. Did you mean \`planner\`?
            Fix it and commit that.
      "
    `);
    expect(await project.ask("status")).toMatchInlineSnapshot(`
      {
        "code": 1,
        "stderr": "loom: There are no runs in this repository yet.
            \`loom run PLAN.md\` starts one.
      ",
        "stdout": "",
      }
    `);
  });

  it("stops the same when it is not a plain file, or too large to be read at all", async () => {
    const project = makeProject({ stages: STAGES });
    const told: string[] = [];
    const look = async (): Promise<void> => {
      project.commit("settings");
      told.push((await project.ask("ask", "What is it?")).stderr);
      expect((await project.ask("plan", "check", "PLAN.md")).code).toBe(2);
      rmSync(join(project.root, CONFIG), { recursive: true });
    };
    mkdirSync(join(project.root, ".github"));
    symlinkSync("../settings.yml", join(project.root, CONFIG));
    await look();
    project.write({ [`${CONFIG}/more.yml`]: "version: 1\n" });
    await look();
    project.write({ [CONFIG]: `version: 1\n${"# more\n".repeat(200_000)}` });
    await look();
    expect(told.join("")).toMatchInlineSnapshot(`
      "loom: .github/loom.yml of the last commit can't be used:
            It is not a plain file. Put a plain file in its place, or remove it.
            Fix it and commit that.
      loom: .github/loom.yml of the last commit can't be used:
            It is not a plain file. Put a plain file in its place, or remove it.
            Fix it and commit that.
      loom: .github/loom.yml of the last commit can't be used:
            The file is larger than 64 KB. Keep what you need; few settings have one.
            Fix it and commit that.
      "
    `);
  });

  it("says how plans are made, and what one agent may take", async () => {
    const config = [
      "version: 1",
      "planner: { degraded: deny, depth: deep, mode: strict, budget_usd: 3 }",
      "limits: { max_stages: 7 }",
      "commands: { budget_usd: 0.5, timeout_secs: 60 }",
      "protected_paths: [infra/]",
      "gate: [make lint]",
      "agents: { disabled: [copywriter] }",
    ];
    const project = taskProject(
      { draft: [{ answer: planAnswer() }], answer: [{ answer: "So." }] },
      { [CONFIG]: `${config.join("\n")}\n` },
    );
    expect((await project.ask("plan", "new", "Count words", "--express")).code).toBe(0);
    expect((await project.ask("ask", "What is it?")).code).toBe(0);
    expect(project.tasks("plan")).toMatchObject([
      {
        budgetUsd: 3,
        plan: {
          degraded: "deny",
          depth: "deep",
          mode: "strict",
          maxStages: 7,
          protectedPaths: ["infra/"],
          gate: ["make lint"],
          disabledAgents: ["copywriter"],
        },
      },
    ]);
    expect(project.tasks("ask")).toMatchObject([{ budgetUsd: 0.5, timeoutSecs: 60 }]);
  });

  it("adds to the checks of a run, and to what no agent may touch", async () => {
    const config = "version: 1\nprotected_paths: [secret.txt]\ngate: [test -f first.txt]\n";
    const agent = "echo x > first.txt; echo x > secret.txt";
    const project = makeProject({ stages: STAGES, files: { [CONFIG]: config }, agent });
    const { code, stdout } = await project.ask("run", "PLAN.md");
    expect(code).toBe(1);
    expect(stdout).toContain("The change touches what Loom does not take from an agent: secret.txt.");
    const good = makeProject({ stages: STAGES, files: { [CONFIG]: config } });
    const { run } = ending(await good.loom("run", "PLAN.md", "--json"));
    expect(good.read(`.loom/${run}/reports/first.md`)).toContain("test -f first.txt");
  });
});

describe("the design that a plan names", () => {
  const DESIGN = '---\ntitle: "A design"\nstatus: draft\n---\n\n# A design\n\nstatus: draft\n';
  const plan = (ref: string): string => `---\ntitle: "A plan"\ndesign_ref: ${ref}\nstatus: draft\n---\n\n`;

  it("comes along into the documents of the run, and says that it was approved", async () => {
    const project = makeProject({ stages: STAGES, files: { "docs/PLAN.design.md": DESIGN } });
    project.write({ "docs/PLAN.md": `${plan('"PLAN.design.md"')}${project.read("PLAN.md")}` });
    project.commit("the plan");
    const { run } = ending(await project.loom("run", "docs/PLAN.md", "--json"));
    const state = project.read(`.loom/${run}/session-state.md`);
    expect(project.read(`.loom/${run}/PLAN.design.md`)).toBe(DESIGN.replace("draft", "approved"));
    expect(project.read(`.loom/${run}/PLAN.md`)).toBe(project.read("docs/PLAN.md"));
    expect(state).toContain(`design_document: ".loom/${run}/PLAN.design.md"`);
    expect(state).toContain('workflow_mode: "standard"');
    expect(state).toMatch(/files_created:\s+- "first.txt"/);
    expect(state).toContain("files_deleted: []");
  });

  it("may be missing, and a run goes on without it", async () => {
    const project = makeProject({ stages: STAGES });
    project.write({ "PLAN.md": `${plan('"PLAN.design.md"')}${project.read("PLAN.md")}` });
    project.commit("the plan");
    const { code, stdout } = await project.ask("run", "PLAN.md");
    expect([code, stdout.split("\n")[0]]).toEqual([
      0,
      "PLAN.md names the design PLAN.design.md, which is no text file of this repository; the run is recorded without it.",
    ]);
  });

  it("is a plain text file of the repository, and nothing else is read", async () => {
    const { root, notes } = makeProject({ stages: STAGES, files: { "docs/a.design.md": DESIGN } });
    writeFileSync(join(notes, "outside.md"), "private\n");
    writeFileSync(join(root, "large.md"), "x".repeat(600_000));
    writeFileSync(join(root, "bytes.md"), Buffer.from([0xff, 0xfe, 0x00]));
    symlinkSync(join(notes, "outside.md"), join(root, "link.md"));
    const read = (ref: string) =>
      readDesignFile({ path: join(root, "PLAN.md"), text: `${plan(ref)}# A plan\n` }, root);
    expect(await read("docs/a.design.md")).toEqual({ ref: "docs/a.design.md", text: DESIGN });
    const unread = ["../outside.md", "link.md", "large.md", "bytes.md", "docs", join(notes, "outside.md")];
    for (const ref of unread) expect(await read(ref)).toEqual({ ref, text: null });
    expect(await read("null")).toBeNull();
  });
});
