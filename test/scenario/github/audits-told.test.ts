import { afterEach, describe, expect, it } from "vitest";
import { deleteLineComment } from "../../../playground/model/reviews/delete-line-comment.ts";
import { replyOnLine } from "../../../playground/model/reviews/reply-on-line.ts";
import { auditTalk, numbered } from "../../support/audit-talk.ts";
import { aGitHubWorld, type GitHubWorld } from "../../support/github-world.ts";
import {
  aGate,
  finds,
  keepsPrompt,
  openChange,
  outcomeOf,
  scriptNow,
  send,
  told,
} from "../../support/task-talk.ts";

/** What an audit does on lines and says about it is the same, whatever GitHub and people did meanwhile. */

let world: GitHubWorld;
afterEach(() => world?.end());

const aWorld = (): Promise<GitHubWorld> => aGitHubWorld({ config: { version: 1, harness: "scripted" } });
const { reviews, remarks, places, threads, review, push } = auditTalk(() => world);

const A = { title: "A is wrong", file: "a.txt", line: 2 };
const B = { title: "B is wrong", file: "a.txt", line: 5 };
const LOOSE = { title: "No licence", body: "Add one." };

describe("what is told about a change that is too large to be shown", () => {
  it("says how much of it the agent saw, below what it found", async () => {
    world = await aWorld();
    const wide = numbered(9_000);
    const pull = await openChange(world, { "a.txt": numbered(9), "b.txt": wide, "c.txt": wide });
    expect(await review(pull, [A])).toMatchInlineSnapshot(`
      "**Review.** Findings: 1 new.

      - The change is large: of 3 files, the agent was shown 1 diff in full and could read 2 in a file.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so the agent had the rights of Loom's own user.

      <sub>scripted · tokens not reported · cost unknown · TIME</sub>"
    `);
    expect(places(pull)).toEqual(["a.txt:2 open"]);
  });
});

describe("what is told about earlier findings", () => {
  it("names those that GitHub did not let Loom resolve", async () => {
    world = await aWorld();
    const pull = await openChange(world, { "a.txt": numbered(9) });
    await review(pull, [A]);
    const match = { method: "POST", path: /\/api\/graphql$/ };
    // What was said is read with the command, the remarks for the agent and once more before they are settled.
    world.github.faults.inject({ on: "request", match, times: 3, effect: { kind: "delay", ms: 0 } });
    const errors = [{ type: "UNPROCESSABLE", message: "Not today." }];
    const effect = { kind: "fail", status: 200, body: { data: null, errors } } as const;
    world.github.faults.inject({ on: "request", match, effect });
    expect(await review(pull, [], { F1: "fixed" })).toMatchInlineSnapshot(`
      "**Review.** Findings: 1 fixed.

      GitHub did not let Loom resolve 1 conversation about what is fixed; people can.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so the agent had the rights of Loom's own user.

      <sub>scripted · tokens not reported · cost unknown · TIME</sub>"
    `);
    expect(places(pull)).toEqual(["a.txt:2 open"]);
    // Asked again, it is settled.
    expect(await review(pull, [], { F1: "fixed" })).toContain("Findings: 1 fixed and resolved.");
    expect(places(pull)).toEqual(["a.txt:2 resolved"]);
  });

  it("counts as updated only what is still there", async () => {
    world = await aWorld();
    const pull = await openChange(world, { "a.txt": numbered(9) });
    await review(pull, [A, B]);
    const [first] = threads(pull);
    let release = (): void => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    // Somebody deletes it right before it is changed.
    const held = world.github.faults.inject({
      on: "request",
      match: { method: "GET", route: "/repos/{owner}/{repo}/pulls/comments/{comment_id}" },
      effect: { kind: "delay", until },
    });
    const changed = [A, B].map((one) => ({ ...one, body: "Otherwise." }));
    const outcome = review(pull, changed);
    await held.whenFired;
    deleteLineComment(world.world, world.repository, first?.comments[0]?.id ?? 0, { by: "mia" });
    release();
    expect(await outcome).toContain("Findings: 1 updated.");
  });

  it("names what is open and was not looked at", async () => {
    world = await aWorld();
    const pull = await openChange(world, { "a.txt": numbered(9) });
    await review(pull, [A, LOOSE]);
    expect(await review(pull, [])).toContain("**Review.** Findings: 2 not looked at again.");
  });

  it("strikes what is fixed where it stands in an earlier review's text", async () => {
    world = await aWorld();
    const pull = await openChange(world, { "a.txt": numbered(9) });
    await review(pull, [LOOSE, { title: "No readme" }]);
    expect(await review(pull, [], { F1: "fixed", F2: "stands" })).toContain(
      "Findings: 1 as before, 1 fixed.",
    );
    expect(reviews(pull)).toMatchInlineSnapshot(`
      [
        "**Review.** 2 findings (2 medium).

      Not on a line that this change shows:

      #### ~~F1 · medium · No licence~~ · fixed

      Add one.

      #### F2 · medium · No readme

      Look at it.",
      ]
    `);
    expect(await review(pull, [], { F2: "fixed" })).toContain("Findings: 1 fixed.");
    expect(reviews(pull)[0]?.match(/~~ · fixed$/gm)).toHaveLength(2);
    expect(await review(pull, [])).toContain("Nothing found.");
  });

  it("changes what it said in an earlier review's text there", async () => {
    world = await aWorld();
    const pull = await openChange(world, { "a.txt": numbered(9) });
    await review(pull, [LOOSE, { title: "No readme" }]);
    const worse = { ...LOOSE, id: "F1", severity: "high" as const, body: "None of the files has one." };
    expect(await review(pull, [worse], { F2: "stands" })).toContain("Findings: 1 updated, 1 as before.");
    expect(reviews(pull)).toMatchInlineSnapshot(`
      [
        "**Review.** 2 findings (2 medium).

      Not on a line that this change shows:

      #### F1 · high · No licence

      None of the files has one.

      #### F2 · medium · No readme

      Look at it.",
      ]
    `);
    expect(await review(pull, [worse], { F2: "stands" })).toContain("Findings: 2 as before.");
  });

  it("brings people's answers to the agent that looks again", async () => {
    world = await aWorld();
    const pull = await openChange(world, { "a.txt": numbered(9) });
    await review(pull, [A]);
    const id = threads(pull)[0]?.comments[0]?.id ?? 0;
    replyOnLine(world.world, world.repository, id, { by: "mia", body: "Won't fix:\nit is intended." });
    const prompt = keepsPrompt(world);
    await scriptNow(world, { audit: [prompt.step, ...finds([])] });
    await told(world, pull, "review");
    expect((await prompt.read()).split("## Said before")[1]?.split("\n## ")[0]).toMatchInlineSnapshot(`
      "

      Findings of an earlier look at this, with their ids. \`earlier\` has to name each of them:

      \`\`\`text
      F1 a.txt:2
        A is wrong

        Look at it.
        mia replied: Won't fix:
        it is intended.
      \`\`\`
      "
    `);
  });
});

describe("a second audit on lines", () => {
  it("does nothing there when the head has moved", async () => {
    world = await aWorld();
    const pull = await openChange(world, { "a.txt": numbered(9) });
    await review(pull, [A, B]);
    const before = JSON.stringify(threads(pull).map(({ comments, resolvedBy }) => [comments, resolvedBy]));
    const gate = aGate(world);
    const earlier = [{ id: "F2", state: "fixed" }];
    await scriptNow(world, { audit: [gate.step, ...finds([{ ...A, body: "Otherwise." }], { earlier })] });
    const { id } = send(world, pull, "review");
    await gate.reached();
    await push({ "b.txt": "new\n" });
    await gate.open();
    expect(await outcomeOf(world, id)).toContain("Commits were pushed meanwhile");
    expect(JSON.stringify(threads(pull).map(({ comments, resolvedBy }) => [comments, resolvedBy]))).toBe(
      before,
    );
  });

  it("moves a finding whose line was edited to where it is now", async () => {
    world = await aWorld();
    const pull = await openChange(world, { "a.txt": numbered(9) });
    await review(pull, [A]);
    await push({ "a.txt": numbered(9, { 2: "edited" }) });
    expect(places(pull)).toEqual(["a.txt:outdated open"]);
    expect(await review(pull, [A])).toContain("Findings: 1 updated.");
    expect(places(pull)).toEqual(["a.txt:outdated resolved", "a.txt:2 open"]);
    // It is one finding still.
    expect(await review(pull, [A])).toContain("Findings: 1 as before.");
    expect(await review(pull, [], { F1: "fixed" })).toContain("Findings: 1 fixed and resolved.");
    expect(reviews(pull)).toHaveLength(2);
  });

  it("suggests nothing on other lines than its remark stands on", async () => {
    world = await aWorld();
    const pull = await openChange(world, { "a.txt": numbered(9) });
    await review(pull, [{ ...A, suggestion: "two" }]);
    await review(pull, [{ ...A, line: 7, suggestion: "seven" }]);
    expect(remarks(pull)[0]).toMatchObject({
      lines: "2",
      said: [`${world.bot}: **medium:** A is wrong\n\nLook at it.\n\nIt is about \`a.txt:7\`.`],
    });
  });

  it("keeps on their lines what GitHub takes, when it refuses the lines of a large file", async () => {
    world = await aWorld();
    const pull = await openChange(world, { "a.txt": numbered(9), "large.txt": numbered(20_001) });
    const large = { title: "Large is wrong", file: "large.txt", line: 3 };
    expect(await review(pull, [A, large, LOOSE])).toContain("Findings: 3 new.");
    expect(places(pull)).toEqual(["a.txt:2 open"]);
    expect(
      reviews(pull).map((body) =>
        body.replaceAll(world.github.url, "").replaceAll(/\b[0-9a-f]{40}\b/g, "SHA"),
      ),
    ).toMatchInlineSnapshot(`
      [
        "**Review.** 3 findings (3 medium).

      Not on a line that this change shows:

      #### F3 · medium · No licence

      Add one.

      On lines that GitHub takes no remarks on:

      #### F2 · medium · Large is wrong ([\`large.txt:3\`](/ada/tools/blob/SHA/large.txt#L3))

      Look at it.",
      ]
    `);
  });
});
