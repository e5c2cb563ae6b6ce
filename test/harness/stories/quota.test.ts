import { describe, expect, it } from "vitest";
import { normalise } from "../../scenario/project.ts";
import { anAgentProject, lastWords } from "../../support/agent-world.ts";
import { ending } from "../../support/loom-cli.ts";
import type { Step } from "../../support/model-server/step.ts";

const WORK: readonly Step[] = [
  { tools: [{ write: { path: "only.txt", text: "x\n" } }] },
  { say: lastWords("Done.") },
];

const HOUR = 3_600;

describe("an agent whose provider says no", () => {
  it("is out of quota: the next one in the order does the work", async () => {
    const project = await anAgentProject({
      stages: [{ id: "only" }, { id: "behind", dependencies: ["only"] }],
      env: { LOOM_FALLBACK: "codex" },
      script: ({ userTexts, turns }) => {
        const stage = userTexts.join("\n").includes("## Your stage: only\n") ? "only" : "behind";
        return turns === 0
          ? { tools: [{ write: { path: `${stage}.txt`, text: "x\n" } }] }
          : { say: lastWords("Done.") };
      },
      rules: [
        {
          when: ({ protocol }) => protocol === "anthropic",
          script: [{ error: { status: 429, retryAfter: HOUR } }],
        },
      ],
    });
    const before = Date.now();
    const result = await project.loom("run", "PLAN.md", "--json");
    expect(result.stderr).toBe("");
    // To pass a stage on is no failure.
    expect(ending(result)).toMatchObject({
      status: "completed",
      stages: { only: { attempts: 1 }, behind: { attempts: 1 } },
    });
    const exhausted = result.lines.find(({ type }) => type === "harness-exhausted");
    expect(exhausted?.harness).toBe("claude");
    expect(Number(exhausted?.until)).toBeGreaterThan(before + (HOUR - 1) * 1000);
    const started = result.lines.filter(({ type }) => type === "session-started");
    // The stage behind it does not even try the one that is out of quota.
    expect(started.map(({ stage, harness }) => [stage, harness])).toEqual([
      ["only", "claude"],
      ["only", "codex"],
      ["behind", "codex"],
    ]);
  });

  it("is out of quota with nobody to take over: it is scheduled for when the quota is back", async () => {
    const project = await anAgentProject({
      stages: [{ id: "only" }],
      script: [{ error: { status: 429, retryAfter: HOUR }, times: 1 }, ...WORK],
    });
    const loom = project.start("run", "PLAN.md", "--json");
    await loom.event("attempt-failed", "only");
    const queued = await loom.line(({ type, attempt }) => type === "stage-queued" && attempt === 2);
    const failed = loom.lines.find(({ type }) => type === "attempt-failed")?.failure as { retryAt: number };
    expect(queued.notBefore).toBe(failed.retryAt);
    expect(failed.retryAt).toBeGreaterThan(Date.now() + (HOUR - 60) * 1000);
    const status = await project.ask("status", "--json");
    expect(JSON.parse(status.stdout).stages.only).toMatchObject({
      state: "queued",
      notBefore: failed.retryAt,
      failure: { kind: "transient" },
    });
    const shown = await project.ask("status");
    expect(
      normalise(shown.stdout.replace(/retry in \S+ \S+ /, "retry in <span> "), project),
    ).toMatchInlineSnapshot(`
      "plan-<hash>  into main with claude <span>
      ──────────────────────────────   0%  0/1 done · 1 queued

         lvl  stage  state                merged   elapsed  now
      ◌    1  only   retry in <span> <span>  claude is out of quota: The provider's limit is reached (429): Th…
      "
    `);
  });

  it("has a wrong key: the stage is blocked with what to do, and nothing is tried again", async () => {
    const project = await anAgentProject({ stages: [{ id: "only" }], script: WORK, keys: ["another-key"] });
    const result = await project.loom("run", "PLAN.md");
    expect(result.code).toBe(1);
    expect(normalise(result.stdout, project)).toMatchInlineSnapshot(`
      "PLAN.md has 1 warning; \`loom plan check PLAN.md\` shows it.
      <time>  Run plan-<hash>: 1 stage into main with claude, 4 at a time.
      <time>  only  started (attempt 1, claude)
      <time>  only  attempt 1 failed: claude can't be used: The provider refused the key (401): invalid x-api-key
      <time>  only  blocked after 1 attempt
      <time>  Run plan-<hash> blocked: 0 of 1 stage merged into main in <span>.

      Run plan-<hash> is blocked after <span>: 0 of 1 stage merged into main; the rest needs you.

      Blocked
        only: claude can't be used: The provider refused the key (401): invalid x-api-key.
          \`loom doctor\` names the variable that holds the key. When it holds a good one, \`loom resume plan-<hash>\` goes on.

      Where to look
        loom status plan-<hash>  every stage at a glance
        loom logs plan-<hash>    what the agents wrote
      "
    `);
  });
});
