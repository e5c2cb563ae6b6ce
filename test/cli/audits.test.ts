import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { AUDITS } from "../../src/core/command/task-kinds.ts";
import { until } from "../support/living-processes.ts";
import { startLoom } from "../support/loom-cli.ts";
import { FINDINGS, taskProject, USAGE } from "./task-project.ts";

const AUDIT = { audit: [USAGE, { answer: FINDINGS }] };

describe("loom review and its like", () => {
  it("looks at the whole repository where nothing is changed", async () => {
    const project = taskProject(AUDIT);
    expect(await project.tell(["review"])).toMatchInlineSnapshot(`
      "$ loom review
      err Looking at the whole repository at <sha>.
      err scripted reads the code.
      Review: 1 finding (1 high).

      One thing to fix.

      high      F1  It prints one
        src/a.js:1
        It should print two.
        Instead:
        │ console.log(2);

      scripted · 1,000 tokens in, 200 out · $0.02 · <span>
      => 0
      "
    `);
  });

  it("looks at the change of a branch, with what is staged and what is not, and says what is left out", async () => {
    const project = taskProject(AUDIT);
    project.git("checkout", "-q", "-b", "feature");
    project.write({ "src/b.js": "committed();\n" });
    project.commit("b");
    expect(await project.tell(["review"])).toContain("err Looking at the change since <sha> at <sha>.\n");
    project.write({ "README.md": "changed\n", "src/c.js": "staged();\n", "src/d.js": "unknown();\n" });
    project.git("add", "src/c.js");
    const before = project.git("status", "--porcelain");
    const told = await project.tell(["security-audit", "the", "input"]);
    expect(told).toContain(
      "err Looking at the change since <sha>, with what is not committed yet. One file or folder that git does not know is left out; `git add` brings it in.\n",
    );
    const [prompt] = project.prompts("security-audit");
    for (const text of ["committed();", "+changed", "staged();", "the input"]) expect(prompt).toContain(text);
    expect(prompt).not.toContain("unknown();");
    expect(project.git("status", "--porcelain")).toBe(before);
    expect(project.git("stash", "list")).toBe("");
    expect(project.git("worktree", "list").split("\n")).toHaveLength(1);
  });

  it("lets the agent read all of a change that is too large to be told, and says how much it was shown", async () => {
    const audit = [
      {
        run: [
          // As an agent finds it: by what it is told.
          `file=$(sed -n 's/.*in the file .\\(.*change\\.diff\\). too.*/\\1/p' "$LOOM_PROMPT")`,
          'grep -q "^+the very last line of e$" "$file" && ls -l "$file" | grep -q "^-r--------"',
        ].join("; "),
      },
      { answer: FINDINGS },
    ];
    const project = taskProject({ audit });
    project.git("checkout", "-q", "-b", "feature");
    const large = (name: string): string => `${`${name} `.repeat(10)}\n`.repeat(2_000);
    const names = ["b", "c", "d", "e"];
    project.write(
      Object.fromEntries(
        names.map((name) => [`src/${name}.txt`, `${large(name)}the very last line of ${name}\n`]),
      ),
    );
    project.write({ "src/small.txt": "small\n" });
    project.commit("large");
    expect(
      (await project.tell(["review"])).split("\n").filter((line) => /^!|^=>/.test(line)),
    ).toMatchInlineSnapshot(`
      [
        "! The change is large: of 5 files, the agent was shown 2 diffs in full and could read 3 in a file.",
        "=> 0",
      ]
    `);
    const { code, stdout } = await project.ask("review", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ diffs: { files: 5, shown: 2, readable: 5 } });
    const [prompt = ""] = project.prompts("review");
    const [, place = ""] = /in the file `(.*change\.diff)` too/.exec(prompt) ?? [];
    expect(place.startsWith(project.root)).toBe(false);
    expect([place !== "", existsSync(dirname(place))]).toEqual([true, false]);
    expect(project.git("status", "--porcelain")).toBe("");
  });

  it("keeps the method of an agent that was taken out of planning", async () => {
    const project = taskProject(AUDIT);
    const env = { LOOM_DISABLED_AGENTS: "code-reviewer" };
    expect(await project.tell(["review"], { env })).toContain("=> 0");
    const [prompt] = project.prompts("review");
    expect(prompt).toContain("You are the last reader before everybody gets the change.");
  });

  it("takes the start of the change from whoever knows better", async () => {
    const project = taskProject(AUDIT);
    const first = project.sha("HEAD");
    project.write({ "src/b.js": "two();\n" });
    project.commit("b");
    project.git("checkout", "-q", "--detach");
    expect(await project.tell(["perf-check", "--base", first])).toContain("err Looking at the change since");
    project.git("checkout", "-q", "--orphan", "lone");
    project.commit("lone");
    const told = [];
    for (const base of ["nope", "--x", "ext::sh", "main", "HEAD"])
      told.push(await project.tell(["review", "--base", base]));
    expect(told.join("")).toMatchInlineSnapshot(`
      "$ loom review --base nope
      err loom: There is no commit nope here.
      err       Name a branch or a commit of this repository with --base.
      => 2
      $ loom review --base --x
      err loom: There is no commit --x here.
      err       Name a branch or a commit of this repository with --base.
      => 2
      $ loom review --base ext::sh
      err loom: There is no commit ext::sh here.
      err       Name a branch or a commit of this repository with --base.
      => 2
      $ loom review --base main
      err loom: main and this branch have no commit in common.
      err       Name a branch or a commit of this repository with --base.
      => 2
      $ loom review --base HEAD
      err loom: There is nothing to look at: all that is here is in HEAD already.
      err       Leave out --base to have the whole repository looked at.
      => 1
      "
    `);
  });

  it("fails on findings only when told how grave they have to be", async () => {
    const project = taskProject(AUDIT);
    const told = [];
    for (const severity of ["critical", "high", "low", "grave"]) {
      const lines = (await project.tell(["review", "--fail-on", severity])).split("\n");
      told.push(lines.filter((line) => /fail-on|^=>/.test(line)).join("\n"));
    }
    expect(told.join("\n")).toMatchInlineSnapshot(`
      "$ loom review --fail-on critical
      => 0
      $ loom review --fail-on high
      err 1 finding is high or worse (--fail-on high).
      => 1
      $ loom review --fail-on low
      err 1 finding is low or worse (--fail-on low).
      => 1
      $ loom review --fail-on grave
      err error: option '--fail-on <severity>' argument 'grave' is invalid. It is critical, high, medium, low or info.
      => 2"
    `);
  });

  it.each(AUDITS)("prints one JSON object and nothing else: %s", async (kind) => {
    const project = taskProject(AUDIT);
    const { code, stdout } = await project.ask(kind, "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ kind, status: "audited", findings: [{ severity: "high" }] });
  });

  it("says why there is no result, and tells it with the exit code", async () => {
    const project = taskProject({ audit: [{ fail: 3 }] });
    expect(await project.tell(["review"])).toMatchInlineSnapshot(`
      "$ loom review
      err Looking at the whole repository at <sha>.
      err scripted reads the code.
      err The agent ended with exit code 3. The end of its output:
      err   This is a scripted agent: it follows script.yml, and no model is at work.
      err scripted reads the code.
      err The agent ended with exit code 3.
      err scripted reads the code.
      err The agent ended with exit code 3.
      The review failed. The agent ended with exit code 3. \`loom doctor\` checks what the agent needs, and the same command tries again.

      scripted · tokens not reported · cost unknown · <span>
      => 1
      "
    `);
    const { code, stdout } = await project.ask("review", "--json");
    expect([code, JSON.parse(stdout).status]).toEqual([1, "refused"]);
  });

  it("hands over an answer that can't be read when nothing is left to ask again with, and says what raises that", async () => {
    const answer = { answer: "Line 1 prints one, and should print two." };
    const project = taskProject({ audit: [answer, USAGE] });
    project.write({ ".github/loom.yml": "version: 1\ncommands: { budget_usd: 0.02 }\n" });
    project.commit("config");
    expect(await project.tell(["review"])).toMatchInlineSnapshot(`
      "$ loom review
      err Looking at the whole repository at <sha>.
      err scripted reads the code.
      err The agent did not end in the agreed form: its findings can't be read. The end of its output:
      err   Line 1 prints one, and should print two.
      The review: the agent did not answer in the form it was asked for. Its budget of $0.02 is used up. \`commands.budget_usd\` in \`.github/loom.yml\` raises it.

      The agent wrote:

      Line 1 prints one, and should print two.

      scripted · 1,000 tokens in, 200 out · $0.02 · <span>
      => 1
      "
    `);
    // It would go on: what it said is there when Loom ends it.
    project.rewrite({ audit: [answer, { usage: { ...USAGE.usage, cost_usd: 0.03 } }, { stall: true }] });
    const { code, stdout } = await project.ask("review", "--json");
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      status: "refused",
      reason: "Its budget of $0.02 is used up. `commands.budget_usd` in `.github/loom.yml` raises it.",
      said: answer.answer,
    });
  });

  it("wants an agent, a repository and a commit", async () => {
    const project = taskProject(AUDIT);
    const none = { env: { LOOM_HARNESS: "", LOOM_SCRIPT: "" } };
    const missing = { env: { LOOM_SCRIPT: "", LOOM_HARNESS: "claude", LOOM_CLAUDE_BIN: "no-such-claude" } };
    const told = [await project.tell(["review"], none), await project.tell(["review"], missing)];
    told.push(await project.tell(["review"], { cwd: project.notes }));
    project.git("update-ref", "-d", "HEAD");
    told.push(await project.tell(["review"]));
    expect(told.join("")).toMatchInlineSnapshot(`
      "$ loom review
      err loom: No agent is chosen.
      err       Set LOOM_HARNESS to claude, codex, gemini or opencode; or LOOM_COMMAND_BIN to a program that works in the current folder and reads its task from standard input, or LOOM_SCRIPT to a script for the scripted agent (\`npm run demo\` shows one).
      => 2
      $ loom review
      err loom: The agent claude can't be used: no-such-claude was not found.
      err       Install it with \`npm install -g @anthropic-ai/claude-code\`. Or set LOOM_CLAUDE_BIN to where it is.
      => 2
      $ loom review
      err loom: /tmp/x is not in a git repository.
      err       Change to your repository, or make one with \`git init\` and a first commit.
      => 1
      $ loom review
      err loom: This repository has no commit yet.
      err       Make a first commit (\`git commit --allow-empty -m start\` will do) and try again.
      => 1
      "
    `);
  });

  it("leaves the trees of another one alone, and clears up what a killed one left", async () => {
    const project = taskProject({ audit: [{ wait_ms: 60_000 }], answer: [{ answer: "Here." }] });
    const options = { cwd: project.root, env: project.scripted };
    const trees = (): string[] => project.git("worktree", "list").split("\n").slice(1);
    const killed = startLoom(["review"], options);
    await until(() => project.prompts("review").length === 1, "the agent is at work");
    expect(await project.tell(["ask", "Where?"])).toContain("=> 0");
    expect(trees()).toHaveLength(1);
    killed.kill("SIGKILL");
    await killed.finished;
    expect(await project.tell(["ask", "Where?"])).toContain("=> 0");
    expect(trees()).toEqual([]);
    expect((await project.ask("runs")).stdout).toContain("No runs yet");
  });
});
