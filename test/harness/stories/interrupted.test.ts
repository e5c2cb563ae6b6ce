import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { leftovers, NOTHING_LEFT, normalise } from "../../scenario/project.ts";
import { anAgentProject, lastWords } from "../../support/agent-world.ts";
import { until } from "../../support/living-processes.ts";
import { ending, processesWith } from "../../support/loom-cli.ts";

describe("a session that is cut off", () => {
  it("keeps its work, leaves no process, and is gone on with: after SIGTERM and after kill -9", async () => {
    const project = await anAgentProject({
      stages: [{ id: "only", acceptance: ["test -f half.txt", "test -f other.txt"] }],
      script: [
        { say: "I begin.", tools: [{ write: { path: "half.txt", text: "half\n" } }] },
        { hang: true, times: 2 },
        { tools: [{ write: { path: "other.txt", text: "other\n" } }] },
        { say: lastWords("Done.") },
      ],
    });
    const hanging = () => project.turns().filter(({ turns }) => turns === 1).length;

    const first = project.start("run", "PLAN.md", "--json");
    await until(() => hanging() === 1, "the agent is in the middle of it");
    first.kill("SIGTERM");
    const stopped = await first.finished;
    expect(stopped.lines.find(({ type }) => type === "attempt-interrupted")).toMatchObject({
      reason: "stopped",
    });
    expect(stopped.lines.some(({ type }) => type === "work-kept")).toBe(true);
    expect(processesWith(project.root)).toEqual([]);

    const second = project.start("resume", "--json");
    await until(() => hanging() === 2, "it is in the middle of it again");
    second.kill("SIGKILL");
    await second.finished;
    await until(() => processesWith(project.root).length === 0, "nothing of it lives any more");

    const third = await project.loom("resume", "--json");
    expect(third.stderr).toBe("");
    // Neither of them was the agent's fault.
    expect(ending(third)).toMatchObject({ status: "completed", stages: { only: { attempts: 1 } } });
    expect(third.lines.find(({ type }) => type === "session-started")).toMatchObject({ prompt: "recovery" });
    const [, again, recovered] = project.prompts();
    for (const prompt of [again, recovered]) {
      expect(prompt).toContain("Your work tree holds this.");
      expect(prompt).toContain("+++ b/half.txt");
    }
    const { run } = ending(third);
    const report = readFileSync(join(project.root, `.loom/${run}/reports/crash-only-1.md`), "utf8");
    expect(normalise(report, project)).toMatchInlineSnapshot(`
      "# Crash of only, attempt 1

      Run: plan-<hash>

      The session did not end by itself: Loom itself ended while it ran.

      ## Last output

          · claude started, model claude-opus-5-5
          I begin.
          → Write half.txt
          · claude started, model claude-opus-5-5
          I begin.
          → Write half.txt

      ## What it had changed

          diff --git a/half.txt b/half.txt
          new file mode 100644
          index <sha>..<sha>
          --- /dev/null
          +++ b/half.txt
          @@ -0,0 +1 @@
          +half
      "
    `);
    expect(leftovers(project)).toEqual(NOTHING_LEFT);
  });
});
