import { describe, expect, it } from "vitest";
import { processesWith, startLoom } from "../support/loom-cli.ts";
import { taskProject, USAGE } from "./task-project.ts";

const ANSWER = { answer: [USAGE, { answer: "In `src/a.js`, line 1.\u001b[31m" }] };

describe("loom ask", () => {
  it("answers from the code, what is not committed included, and remembers what was said", async () => {
    const project = taskProject(ANSWER);
    project.write({ "src/a.js": "console.log('fresh');\n" });
    expect(await project.tell(["ask", "Where", "is", "it", "printed?"])).toMatchInlineSnapshot(`
      "$ loom ask Where is it printed?
      err scripted looks for the answer.
      In \`src/a.js\`, line 1.

      scripted · 1,000 tokens in, 200 out · $0.02 · <span>
      => 0
      "
    `);
    expect(await project.tell(["ask", "--continue", "And why there?"])).toContain("=> 0");
    const second = project.prompts("ask").find((prompt) => prompt.includes("And why there?"));
    expect(second).toContain("Where is it printed?");
    expect(second).toContain("In `src/a.js`, line 1.");
    const third = await project.with({ input: "Alone?" }).ask("ask", "-", "--json");
    expect(JSON.parse(third.stdout)).toMatchObject({ type: "answer", question: "Alone?", reason: null });
    expect(project.prompts("ask").find((prompt) => prompt.includes("Alone?"))).not.toContain(
      "And why there?",
    );
  });

  it("takes a question of the agent's for its answer: nobody sits beside it", async () => {
    const project = taskProject({ answer: [{ ask: "Which of the two programs?" }] });
    expect(await project.tell(["ask", "Where is it printed?"])).toMatchInlineSnapshot(`
      "$ loom ask Where is it printed?
      err scripted looks for the answer.
      Which of the two programs?

      scripted · tokens not reported · cost unknown · <span>
      => 0
      "
    `);
  });

  it("shows no secret, however an agent spreads it", async () => {
    const token = "wq7-Lm_2xZ/p0";
    const key = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    const answer = `It is ${[...token].join("\u200b")} or ${[...key].join("\u001b[0m")}!`;
    const project = taskProject({ answer: [{ answer }] });
    const told = await project.tell(["ask", "Which?"], { env: { DEPLOY_TOKEN: token } });
    expect(told).toContain("It is [secret] or [secret]!\n");
  });

  it("says what is missing", async () => {
    const project = taskProject(ANSWER);
    const told = [await project.tell(["ask"]), await project.tell(["ask", "--continue"])];
    await project.ask("ask", "Where?");
    told.push(await project.tell(["ask", "--continue"]));
    expect(told.join("")).toMatchInlineSnapshot(`
      "$ loom ask
      err loom: The question is empty.
      err       Ask something: loom ask "Where are webhooks verified?"
      => 2
      $ loom ask --continue
      err loom: There is no conversation to go on with here.
      err       Ask something: loom ask "Where are webhooks verified?"
      => 2
      $ loom ask --continue
      err loom: The question is empty.
      err       Ask something: loom ask "Where are webhooks verified?"
      => 2
      "
    `);
  });

  it("takes what nobody can see for no question, and bytes for no text", async () => {
    const project = taskProject(ANSWER);
    for (const words of ["\u200b\u200b", "\u0001\u0002", "\u3164"]) {
      expect((await project.tell(["ask", words])).split("\n").slice(1, 2)).toEqual([
        "err loom: The question is empty.",
      ]);
      expect(await project.tell(["plan", "new", words])).toMatch(
        /^err loom: The goal is empty\.[\s\S]*=> 2$/m,
      );
    }
    for (const input of [new Uint8Array([0x48, 0xff, 0x80]), "a\0b"])
      expect(await project.tell(["ask", "-"], { input })).toMatchInlineSnapshot(`
        "$ loom ask -
        err loom: That is not UTF-8 text.
        err       Put it into words, or save the file as UTF-8.
        => 2
        "
      `);
    expect([...project.tasks("ask"), ...project.tasks("plan")]).toEqual([]);
  });

  it("stops at Ctrl-C without leaving anything behind, and goes on with the question later", async () => {
    const project = taskProject({ answer: [{ run: "sleep 600" }] });
    const env = { ...project.scripted, REPO: project.root };
    const stopped = startLoom(["ask", "Where is it printed?"], { cwd: project.root, env });
    let said = "";
    const works = new Promise<void>((resolve) => {
      stopped.child.stderr?.on("data", (chunk: Buffer) => {
        said += chunk.toString();
        if (said.includes("looks for the answer")) resolve();
      });
    });
    await works;
    const held = await project.tell(["ask", "--continue"]);
    expect(held.replace(/Process \d+/, "Process <pid>")).toMatchInlineSnapshot(`
      "$ loom ask --continue
      err loom: Process <pid> is at work on it.
      err       Wait until it is done, or end that process.
      => 1
      "
    `);
    stopped.kill("SIGINT");
    const { code, stdout, stderr } = await stopped.finished;
    expect([code, stdout]).toEqual([130, ""]);
    expect(stderr.split("\n").slice(-5).join("\n")).toMatchInlineSnapshot(`
      "scripted looks for the answer.
      Stopping: the agent is being ended. A second Ctrl-C does not wait for it.
      loom: Stopped.
            \`loom ask --continue\` goes on with the question.
      "
    `);
    expect(processesWith(project.root)).toEqual([]);
    expect(project.git("worktree", "list").split("\n")).toHaveLength(1);

    project.rewrite(ANSWER);
    const { stdout: later } = await project.ask("ask", "--continue", "--json");
    expect(JSON.parse(later)).toMatchObject({
      question: "Where is it printed?",
      answer: expect.stringContaining("src/a.js"),
    });
  });
});
