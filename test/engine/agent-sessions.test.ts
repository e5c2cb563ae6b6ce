import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { RunSettings } from "../../src/core/config/run-settings.ts";
import type { AgentProfile } from "../../src/core/plan/agent-profile.ts";
import type { StagePlan } from "../../src/core/plan/plan.ts";
import type { Refusal } from "../../src/core/policy/boundaries.ts";
import { withoutAgents } from "../../src/core/roster/without-agents.ts";
import { type Run, stageOf } from "../../src/core/run/run.ts";
import { runStage } from "../../src/engine/attempt/run-stage.ts";
import { advanceRun } from "../../src/engine/run/advance-run.ts";
import { ceilingOf, toolsOf, turnsOf } from "../../src/engine/session/session-limits.ts";
import type { Harness, SessionEnd, SessionSpec } from "../../src/ports/harness.ts";
import { loadRoster } from "../../src/wiring/load-roster.ts";
import { begin, openWorld, RUN } from "../chaos/engine-world.ts";
import { makeScene } from "../support/chaos.ts";
import type { StageFields } from "../support/plan-text.ts";

const ROSTER = loadRoster();

/** An agent that leaves a file where it may, reports, and keeps what it was started with. */
function recorder({
  said = REPORT,
  writes = mayWrite,
  hangs = false,
}: Pick<Play, "said" | "writes" | "hangs">) {
  const specs: SessionSpec[] = [];
  const end: SessionEnd = {
    exit: { kind: "exited", code: 0 },
    failure: null,
    text: said,
    resume: "conversation-1",
    deniedHosts: [],
  };
  const harness: Harness = {
    id: "told",
    speaks: true,
    model: null,
    smallModel: null,
    check: async () => ({ kind: "ready", detail: "" }),
    start(spec) {
      specs.push(spec);
      if (writes(spec)) writeFileSync(join(spec.tree, `${spec.stage}.txt`), "x\n");
      const events = (async function* () {})();
      let stop = (): void => {};
      const ended = new Promise<SessionEnd>((resolve) => {
        stop = () => resolve(end);
        if (!hangs) stop();
      });
      return { events, end: ended, stop: async () => stop() };
    },
  };
  return { harness, specs };
}

function mayWrite({ tools }: SessionSpec): boolean {
  return tools === "all" || tools === "edit";
}

const REPORT = "## Task Report\n\nIt is done.\n\n## Downstream Context\n\n- Warnings: none\n";

async function play(
  fields: Partial<StageFields>,
  { roster = ROSTER, settings = {}, ...agent }: Play = {},
): Promise<{ specs: SessionSpec[]; run: Run; refused: Refusal[] }> {
  const { harness, specs } = recorder(agent);
  const scene = makeScene([{ id: "one", acceptance: ["true"], ...fields }]);
  const refused: Refusal[] = [];
  const audit = { refused: (one: Refusal) => void refused.push(one) };
  const world = await openWorld(scene, "true", { change: () => ({ harness: () => harness, roster, audit }) });
  await begin(world, settings);
  await advanceRun(world.engine, RUN);
  const job = { kind: "stage", run: RUN, stage: "one", attempt: 1 } as const;
  await runStage(world.engine, job, new AbortController().signal);
  return { specs, run: await world.engine.runs.get(RUN), refused };
}

type Play = {
  readonly roster?: typeof ROSTER;
  readonly settings?: Partial<RunSettings>;
  readonly said?: string;
  readonly writes?: typeof mayWrite;
  /** It works until it is stopped. */
  readonly hangs?: boolean;
};

describe("a session of a stage", () => {
  it("has all tools and its CLI's own temperature without an agent", async () => {
    const { specs } = await play({});
    expect(specs).toHaveLength(1);
    expect(specs[0]).toMatchObject({ tools: "all", temperature: null, maxTurns: null });
    expect(specs[0]?.rules).not.toContain("## Your part");
    expect(specs[0]?.task).toContain("## Skill: validation");
  });

  it("has the tools, the temperature, the turns and the method of its agent", async () => {
    const { specs, run } = await play({ agent: "copywriter" });
    expect(specs[0]).toMatchObject({ tools: "edit", temperature: 0.7, maxTurns: 80 });
    expect(specs[0]?.rules).toContain(`## Your part: copywriter\n\n${ROSTER.agents.get("copywriter")?.body}`);
    expect(stageOf(run, "one").warnings).toEqual([]);
    expect(stageOf(run, "one").files).toEqual(["one.txt"]);
  });

  it("keeps an agent that only reads from writing, also when it is asked for more", async () => {
    const { specs } = await play(
      { agent: "code_reviewer", stage_type: "code-review" },
      { settings: { contract: "enforce" }, said: "All is well." },
    );
    expect(specs.map(({ tools }) => tools)).toEqual(["read", "none", "read", "read"]);
    expect(specs.map(({ temperature }) => temperature)).toEqual([0.2, 0.2, 0.2, 0.2]);
    expect(specs[0]?.task).toContain("## Skill: code-review");
  });

  it("leaves nothing of an agent that only reads where nothing kept it from writing, and says so", async () => {
    const { run, refused } = await play(
      { agent: "debugger", stage_type: "code-review" },
      { writes: () => true },
    );
    expect(refused).toMatchObject([
      { boundary: "import", rule: "read-only", run: RUN, stage: "one", who: "agent" },
    ]);
    const { files, warnings, commit } = stageOf(run, "one");
    expect(commit).not.toBeNull();
    expect(files).toEqual([]);
    expect(warnings).toMatchInlineSnapshot(`
      [
        "\`debugger\` may only read and changed files all the same; they were put back.",
      ]
    `);
  });

  it("has no more turns than the operator allows", async () => {
    const { specs } = await play({ agent: "coder" }, { settings: { maxTurns: 7 } });
    expect(specs[0]).toMatchObject({ tools: "all", temperature: 0.2, maxTurns: 7 });
  });

  it("is done by an agent that was disabled since, with no more rights than it had", async () => {
    const roster = withoutAgents(ROSTER, ["code-reviewer"]);
    const { specs, run } = await play(
      { agent: "code-reviewer", stage_type: "code-review" },
      { roster, writes: () => true },
    );
    expect(specs[0]).toMatchObject({ tools: "read", temperature: 0.2 });
    expect(specs[0]?.rules).toContain("## Your part: code-reviewer");
    expect(stageOf(run, "one").files).toEqual([]);
    expect(stageOf(run, "one").warnings).toHaveLength(1);
  });

  it("does not begin with an agent that nobody knows here", async () => {
    const { specs, run } = await play({ agent: "welder" });
    const { state } = stageOf(run, "one");
    expect(specs).toEqual([]);
    expect(state.kind).toBe("merge-blocked");
    expect(state.kind === "merge-blocked" && state.failure.message).toMatchInlineSnapshot(
      `"The plan gives this stage to \`welder\`, and there is no such agent here. Put its file, welder.md, into the folder agents/ below ~/.config/loom (LOOM_CONFIG) of every machine that runs agents, and start Loom there again."`,
    );
  });

  it("says whose limit it was when it took too long", async () => {
    const coder = ROSTER.agents.get("coder");
    if (!coder) throw new Error("no coder");
    const agents = new Map([["coder", { ...coder, timeoutMins: 0.005 }]]);
    const told = async (fields: Partial<StageFields>, timeoutSecs: number) => {
      const { run } = await play(fields, {
        roster: { ...ROSTER, agents },
        settings: { timeoutSecs },
        hangs: true,
      });
      return stageOf(run, "one").failures.map(({ message }) => message);
    };
    expect([
      ...(await told({}, 0.2)),
      ...(await told({ agent: "coder" }, 60)),
      ...(await told({ agent: "coder", timeout_secs: 1 }, 60)),
    ]).toMatchInlineSnapshot(`
      [
        "The agent was still working after 0.2 s, the ceiling of this stage.",
        "The agent was still working after 0.3 s, the ceiling of the agent \`coder\`.",
        "The agent was still working after 1 s, the ceiling of this stage.",
      ]
    `);
  });
});

describe("the limits of a session", () => {
  const profile = (change: Partial<AgentProfile>): AgentProfile => {
    const coder = ROSTER.agents.get("coder");
    if (!coder) throw new Error("no coder");
    return { ...coder, ...change };
  };
  const attempt = (settings: Partial<RunSettings>, timeoutSecs: number | null = null) => ({
    run: { settings: { timeoutSecs: 3_600, ...settings } } as Run,
    plan: { timeoutSecs } as StagePlan,
  });

  it("give every capability the tools it stands for", () => {
    const capabilities = ["full", "read-write", "read-shell", "read-only"] as const;
    expect(capabilities.map((capability) => toolsOf(profile({ capability })))).toEqual([
      "all",
      "edit",
      "shell",
      "read",
    ]);
    expect(toolsOf(null)).toBe("all");
  });

  it("end it by the stage's own time, else by the shorter of the run's and the agent's", () => {
    expect(ceilingOf(attempt({}), null)).toBe(3_600);
    expect(ceilingOf(attempt({}), profile({ timeoutMins: 30 }))).toBe(1_800);
    expect(ceilingOf(attempt({}), profile({ timeoutMins: 90 }))).toBe(3_600);
    expect(ceilingOf(attempt({}, 7_200), profile({ timeoutMins: 30 }))).toBe(7_200);
  });

  it("count the fewer turns of the two", () => {
    expect(turnsOf({}, null)).toBeNull();
    expect(turnsOf({ maxTurns: null }, profile({ maxTurns: 9 }))).toBe(9);
    expect(turnsOf({ maxTurns: 5 }, profile({ maxTurns: 9 }))).toBe(5);
    expect(turnsOf({ maxTurns: 5 }, null)).toBe(5);
  });
});
