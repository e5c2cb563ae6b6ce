import { afterEach, describe, expect, it } from "vitest";
import { check, named, settled } from "../../support/github-talk.ts";
import { aGitHubWorld, type GitHubWorld, type WorldOptions } from "../../support/github-world.ts";
import {
  AUTO,
  aGate,
  ended,
  protection,
  stage,
  stagePulls,
  stageState,
  start,
  waiting,
  write,
} from "../../support/merge-story.ts";

let world: GitHubWorld;
afterEach(() => world?.end());

const SLY = [
  write("lib.js", "exports.add = () => 0;\n"),
  write("test/add.test.js", "\n"),
  write("sly.txt", "sly\n"),
];

/** The first stage breaks the library and empties its test; the second stands on it (T37). */
const STORY: WorldOptions = {
  config: { ...AUTO, gate: ["node test/add.test.js"] },
  files: {
    "lib.js": "exports.add = (a, b) => a + b;\n",
    "test/add.test.js": 'require("node:assert").equal(require("../lib.js").add(1, 2), 3);\n',
  },
  script: {
    sly: SLY,
    free: [write("free.txt", "free\n")],
    next: [write("next.txt", "next\n")],
  },
};
const STAGES = [stage("sly"), stage("free"), stage("next", ["sly"])];

describe("a stage that redefines its own gate, where Loom merges", () => {
  it("is offered and waits for a person, who merges it; the run goes on", async () => {
    world = await aGitHubWorld(STORY);
    await start(world, STAGES);
    const run = await waiting(world, "sly", "a person has to decide");
    const pull = await world.stagePull("sly");
    const shown = await check(world, "loom / sly", ({ conclusion }) => conclusion === "action_required");
    expect([shown.title, named(shown.summary ?? ""), shown.actions]).toMatchInlineSnapshot(`
      [
        "2 of 3 checks passed; 1 needs a person",
        "\`sly\` Write sly, attempt 1 of run \`RUN\`. The plan is #2.

      \`node test/add.test.js\` exited with 1 (expected 0) with the base's \`test/add.test.js\`, which this stage changes; a person has to decide.

      Loom does not merge it by itself: look at what it changes there. If that is right, merge its pull request; if not, close it.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so agent and checks of this stage had the rights of Loom's own user.",
        [],
      ]
    `);
    expect(named(pull.body)).toMatchInlineSnapshot(`
      "<!-- loom:stage RUN sly -->

      Stage \`sly\` of run \`RUN\` for #1, planned in #2. The work was done by an agent (attempt 1), the proof by Loom.

      Needed by: \`next\`

      ### What

      > Write sly.txt.

      ### How it was proved

      2 of 3 checks passed; 1 needs a person. Loom ran them itself, from the approved plan, on a clean checkout of \`SHA\`; \`loom / sly\` has the output.

      |  | Kind | Check | Result |
      |---|---|---|---|
      | ? | gate as the base defines it | \`node test/add.test.js\` | exited with 1 (expected 0) with the base's \`test/add.test.js\`, which this stage changes; a person has to decide (TIME) |
      | ✓ | acceptance | \`test -f sly.txt\` | passed (exit 0, TIME) |
      | ✓ | gate | \`node test/add.test.js\` | passed (exit 0, TIME) |

      <details>
      <summary>3 changed files</summary>

      - \`lib.js\`
      - \`sly.txt\`
      - \`test/add.test.js\`

      </details>

      ### What now

      \`node test/add.test.js\` exited with 1 (expected 0) with the base's \`test/add.test.js\`, which this stage changes; a person has to decide. Loom does not merge it by itself: look at what it changes there. If that is right, merge its pull request; if not, close it. To work on it yourself, comment \`/loom take sly\` and push to this branch."
    `);
    expect(run.stages.get("next")?.state.kind).toBe("waiting-for-deps");

    // What else happens does not bring it in: another stage is merged, somebody approves it, Loom starts again.
    await world.run((now) => now.stages.get("free")?.state.kind === "completed", "free to be merged");
    world.review(pull.number);
    await world.stopLoom();
    await world.startLoom();
    world.comment(pull.number, "Let me look at it.");
    await settled(world);
    expect(stagePulls(world, "sly").map(({ state }) => state)).toEqual(["open"]);
    expect(await world.file("sly.txt")).toBeNull();

    await world.merge(pull.number);
    await ended(world);
    expect(await world.file("next.txt")).toBe("next\n");
  });

  it("is put into no merge queue either, also when the target went on meanwhile", async () => {
    const gate = aGate();
    world = await aGitHubWorld({
      ...STORY,
      script: { sly: [gate.wait, ...SLY] },
    });
    world.repository.protection.set("main", protection({ mergeQueue: true, requiredChecks: ["ci"] }));
    await start(world, [stage("sly")]);
    await stageState(world, "sly", "executing");
    await world.push("main", { "meanwhile.txt": "m\n" });
    gate.open();
    await waiting(world, "sly", "a person has to decide");
    gate.close();
    expect(world.repository.mergeQueues.get("main") ?? []).toEqual([]);
  });

  it("is merged by Loom where the operator said so", async () => {
    world = await aGitHubWorld({ ...STORY, env: { LOOM_GATE_CHANGES: "warn" } });
    await start(world, STAGES);
    await ended(world);
    expect(await world.file("sly.txt")).toBe("sly\n");
    expect(await world.file("next.txt")).toBe("next\n");
  });
});
