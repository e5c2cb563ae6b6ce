import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openPull } from "../../../playground/model/pulls/open-pull.ts";
import {
  ask,
  check,
  checkOf,
  named,
  offered,
  panel,
  rerun,
  settled,
  write,
  writesFile,
} from "../../support/github-talk.ts";
import { aGitHubWorld, type GitHubWorld } from "../../support/github-world.ts";

const PATH = ".github/loom.yml";
const BROKEN =
  "version: 2\nmerge:\n  mode: yolo\n  metod: squash\napproval:\n  roles: everybody\nlabels:\n  done: loom- done\n  blocked: loom- done\n";

const GOOD =
  "version: 1\nmerge: { mode: auto, method: rebase }\napproval: { label: go, roles: maintain }\nlabels: { running: at work, approved: yes-please }\n";

describe("a repository's configuration", () => {
  let world: GitHubWorld;
  beforeAll(async () => {
    world = await aGitHubWorld({ script: { one: [write("one.txt")] }, files: { [PATH]: BROKEN } });
  });
  afterAll(() => world.end());

  it("starts nothing with a broken one, and lists all that is wrong with it", async () => {
    const issue = world.issue({ body: "" });
    expect(await ask(world, issue, "/loom run")).toMatchInlineSnapshot(`
      "Loom can't work here: \`.github/loom.yml\` on the default branch has 5 errors.

      - line 1, \`version\`: \`version\` must be 1, but is \`2\`. Write, for example, \`version: 1\`.
      - line 3, \`merge.mode\`: \`merge.mode\` must be \`review\` or \`auto\`, but is \`yolo\`. Write, for example, \`mode: review\`.
      - line 4, \`merge.metod\`: Loom does not know \`merge.metod\`. Did you mean \`method\`?
      - line 6, \`approval.roles\`: \`approval.roles\` must be \`write\` or \`maintain\` or \`admin\`, but is \`everybody\`. Write, for example, \`roles: maintain\`.
      - line 8, \`labels.done\`: \`labels.done\` is the same label as \`labels.blocked\`. Give each of them a label of its own.

      Fix them there, then ask again."
    `);
    expect(await world.runs()).toEqual([]);
  });

  it("checks what a pull request makes of it, and counts only the default branch's", async () => {
    const open = async (branch: string, text: string): Promise<{ number: number; head: string }> => {
      const head = await world.push(branch, { [PATH]: text });
      const { number } = await openPull(world.world, world.repository, {
        by: "wes",
        title: "Change the configuration",
        head: branch,
        base: "main",
      });
      return { number, head };
    };
    const worse = await open("worse", `${BROKEN}auto_runs: true\n`);
    const red = await check(world, "loom / config", ({ headSha }) => headSha === worse.head);
    expect([red.conclusion, red.title, red.summary?.split("\n")[0]]).toMatchInlineSnapshot(`
      [
        "failure",
        ".github/loom.yml can't be used: 6 errors",
        "With this file on the default branch, Loom would answer every command with these problems.",
      ]
    `);
    const fixed = await open("fixed", GOOD);
    const green = await check(world, "loom / config", ({ headSha }) => headSha === fixed.head);
    expect([green.conclusion, green.title, green.summary]).toMatchInlineSnapshot(`
      [
        "success",
        ".github/loom.yml is fine",
        "It takes effect once it is on the default branch.",
      ]
    `);
    // Only the default branch counts.
    const issue = world.issue({ body: "" });
    expect(await ask(world, issue, "/loom run")).toContain("Loom can't work here");
    expect(await ask(world, fixed.number, "/loom run")).toContain("Loom can't work here");
    // Fixed on the same branch, and Re-run: each shows how it is now.
    const again = await world.push("worse", { [PATH]: GOOD });
    await check(
      world,
      "loom / config",
      ({ headSha, conclusion }) => headSha === again && conclusion === "success",
    );
    rerun(world, red);
    await settled(world);
    expect(checkOf(world, "loom / config", worse.head)?.conclusion).toBe("failure");
    // One that leaves it alone hears nothing.
    const other = await world.push("other", { "other.txt": "x\n" });
    await openPull(world.world, world.repository, { by: "wes", title: "Other", head: "other", base: "main" });
    await settled(world);
    expect(checkOf(world, "loom / config", other)).toBeUndefined();
    await world.merge(fixed.number);
  });

  it("is as broken when it is too large to be read, and never counts as none", async () => {
    const strict = "version: 1\napproval: { roles: admin }\n";
    const head = await world.push("padded", { [PATH]: `${strict}# ${"x".repeat(70_000)}\n` });
    const pull = { by: "wes", title: "Say more about it", head: "padded", base: "main" };
    const { number } = await openPull(world.world, world.repository, pull);
    const red = await check(world, "loom / config", ({ headSha }) => headSha === head);
    expect([red.conclusion, red.title]).toEqual(["failure", ".github/loom.yml can't be used: 1 error"]);
    expect(red.summary).toContain("The file is larger than 64 KB.");
    await world.merge(number);
    expect(await ask(world, world.issue({ body: "" }), "/loom run")).toMatchInlineSnapshot(`
      "Loom can't work here: \`.github/loom.yml\` on the default branch has 1 error.

      - The file is larger than 64 KB. Keep what you need; few settings have one.

      Fix them there, then ask again."
    `);
    await world.push("main", { [PATH]: GOOD });
  });

  it("follows it: other labels, other approvers, other ways to merge", async () => {
    const { issue, plan } = await offered(world, [writesFile("one")]);
    expect(plan.body).toContain("set the label `go`");
    expect(plan.body).toContain("It takes the role `maintain` or more");
    world.label(plan.number, "loom: approve", "mia");
    world.label(plan.number, "go", "wes");
    expect(named(await world.reply(plan.number))).toMatchInlineSnapshot(
      `"This did not approve the plan: it takes the role \`maintain\` or more in this repository. Ask somebody who has it."`,
    );
    expect(await ask(world, plan.number, "/loom approve", "wes")).toMatchInlineSnapshot(
      `"This did not approve the plan: it takes the role \`maintain\` or more in this repository. Ask somebody who has it."`,
    );
    world.label(plan.number, "Go", "mia");
    await world.until(() => world.get(issue).labels.includes("at work"), "a label of the repository's own");
    await world.run((run) => run.status === "completed", "the end of the run");
    await panel(world, issue, "Done");
    await world.until(() => world.get(issue).labels.includes("loom: done"), "the usual label");
    const labels = (): string => [...world.get(plan.number).labels].sort().join(", ");
    await world.until(() => labels() === "go, loom: approve, loom: done, yes-please", "the same on the plan");
    const pull = await world.stagePull("one");
    const commit = await world.world.git.commit(world.repository.gitDir, pull.pull?.mergeCommitSha ?? "");
    expect(commit?.parents).toHaveLength(1);
    expect(commit?.message).not.toContain(`(#${pull.number})`);
  });
});
