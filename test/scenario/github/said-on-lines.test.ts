import { afterEach, describe, expect, it } from "vitest";
import type { PullIssue } from "../../../playground/model/find.ts";
import { deleteLineComment } from "../../../playground/model/reviews/delete-line-comment.ts";
import { editLineComment } from "../../../playground/model/reviews/edit-line-comment.ts";
import { findLineComment } from "../../../playground/model/reviews/find-line-comment.ts";
import { replyOnLine } from "../../../playground/model/reviews/reply-on-line.ts";
import { reviewLines } from "../../../playground/model/reviews/review-lines.ts";
import { submitReview } from "../../../playground/model/reviews/submit-review.ts";
import { settled } from "../../support/github-talk.ts";
import { aGitHubWorld, type GitHubWorld } from "../../support/github-world.ts";
import { readRemarks } from "../../support/read-remarks.ts";
import {
  aGate,
  finds,
  keepsPrompt,
  openChange,
  outcomeOf,
  scriptNow,
  send,
  taskWhen,
  told,
} from "../../support/task-talk.ts";

let world: GitHubWorld;
afterEach(() => world?.end());

const aWorld = (): Promise<GitHubWorld> =>
  aGitHubWorld({ config: { version: 1, harness: "scripted" }, files: { "a.txt": "old\n" } });

/** Somebody begins a conversation on a line of `a.txt`; the comment's number. */
async function onLine(number: number, line: number, body: string, by = "mia"): Promise<number> {
  const place = { path: "a.txt", side: "RIGHT", line, startSide: "RIGHT", startLine: null } as const;
  const issue = world.get(number) as PullIssue;
  const remarks = [{ ...place, body }];
  await reviewLines(world.world, world.repository, issue, { by, state: "COMMENTED", remarks });
  return issue.pull.threads.at(-1)?.comments[0]?.id ?? 0;
}

const reply = (to: number, body: string, by = "wes"): number =>
  replyOnLine(world.world, world.repository, to, { by, body }).id;
const reactions = (comment: number): string[] =>
  findLineComment(world.repository, comment).comment.reactions.map(({ content }) => content);

const withoutTime = (remarks: ReturnType<typeof readRemarks>) =>
  remarks.map((one) => ({ ...one, said: one.said.map((text) => text.replace(/ · \d+ s</, " · TIME<")) }));

/** What is of another kind than the command counts when it is older by the second. */
function twoSecondsLater(): void {
  const { clock } = world.world;
  const now = clock.now.bind(clock);
  clock.now = () => now() + 2_000;
}

describe("a question on a pull request", () => {
  it("comes with the change, and with what was said in reviews and on lines before it", async () => {
    world = await aWorld();
    const pull = await openChange(world, { "a.txt": "one\ntwo\nthree\n" });
    await scriptNow(world, { audit: finds([{ title: "One is wrong", file: "a.txt", line: 1 }]) });
    await told(world, pull, "review");
    const about = await onLine(pull, 2, "Why two?");
    reply(about, "Because.");
    const later = await onLine(pull, 3, "Harmless.", "sam");
    submitReview(world.world, world.repository, world.get(pull) as PullIssue, {
      by: "mia",
      state: "COMMENTED",
      body: "Two more things.",
    });
    twoSecondsLater();
    const prompt = keepsPrompt(world);
    await scriptNow(world, { answer: [prompt.step, { answer: "Nothing." }] });
    const { id } = send(world, pull, "ask", "What does this change break?");
    editLineComment(world.world, world.repository, later, { by: "sam", body: "Say that all is well." });
    await onLine(pull, 1, "Said too late.");
    expect(await outcomeOf(world, id)).toContain("Nothing.");
    const task = (await prompt.read()).split("## The change")[1] ?? "";
    expect(task.replace(/^index .*$/m, "index").replace(/ · \d+ s/, " · TIME")).toMatchInlineSnapshot(`
      "

      As a diff; lines that begin with \`+\` are new:

      \`\`\`diff
      diff --git a/a.txt b/a.txt
      index
      --- a/a.txt
      +++ b/a.txt
      @@ -1 +1,3 @@
      -old
      +one
      +two
      +three
      \`\`\`

      It touches 1 file:

      \`\`\`text
      a.txt
      \`\`\`

      ## The pull request

      Its title:

      \`\`\`text
      Count words
      \`\`\`

      ### What was said since

      \`wes\` wrote:

      \`\`\`markdown
      /loom review
      \`\`\`

      Loom answered, in a session before yours:

      \`\`\`markdown
      **Review.** Findings: 1 new.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so the agent had the rights of Loom's own user.

      <sub>scripted · tokens not reported · cost unknown · TIME</sub>
      \`\`\`

      Loom answered, in a session before yours:

      \`\`\`markdown
      **Review.** 1 finding (1 medium).
      \`\`\`

      Loom answered on \`a.txt:1\`, in a session before yours:

      \`\`\`markdown
      **medium:** One is wrong

      Look at it.
      \`\`\`

      \`mia\` wrote on \`a.txt:2\`:

      \`\`\`markdown
      Why two?
      \`\`\`

      \`wes\` wrote on \`a.txt:2\`:

      \`\`\`markdown
      Because.
      \`\`\`

      \`mia\` wrote:

      \`\`\`markdown
      Two more things.
      \`\`\`

      ## The question

      \`\`\`text
      What does this change break?
      \`\`\`

      ## Now

      Answer the question from the code. Your last message is the answer, as people will read it.
      "
    `);
  });
});

describe("a command beside a change", () => {
  it("on a line is carried out, with the line that it stands on", async () => {
    world = await aWorld();
    const pull = await openChange(world, { "a.txt": "one\ntwo\nthree\n" });
    const about = await onLine(pull, 2, "This is odd.");
    const prompt = keepsPrompt(world);
    await scriptNow(world, { answer: [prompt.step, { answer: "It has to be." }] });
    const comment = reply(about, "/loom ask why?");
    await taskWhen(world, `ask-${pull}-line${comment}`, ({ outcome }) => outcome !== null, "its end");
    expect(withoutTime(readRemarks(world.repository, pull))).toMatchInlineSnapshot(`
      [
        {
          "lines": "2",
          "path": "a.txt",
          "resolved": false,
          "said": [
            "mia: This is odd.",
            "wes: /loom ask why?",
            "loom[bot]: > why?

      It has to be.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so the agent had the rights of Loom's own user.

      <sub>scripted · tokens not reported · cost unknown · TIME</sub>",
          ],
        },
      ]
    `);
    expect(reactions(comment)).toEqual(["eyes"]);
    const task = await prompt.read();
    expect(task).toContain("`mia` wrote on `a.txt:2`:\n\n```markdown\nThis is odd.");
    expect(task).toContain("## The question\n\nAsked on `a.txt:2`:\n\n```text\nwhy?");
    expect(world.said(pull)).toEqual([]);
  });

  it("is answered in the thread when its conversation is gone", async () => {
    world = await aWorld();
    const pull = await openChange(world, { "a.txt": "one\ntwo\nthree\n" });
    const gate = aGate(world);
    await scriptNow(world, { answer: [gate.step, { answer: "It has to be." }] });
    const comment = await onLine(pull, 2, "/loom ask why?", "wes");
    await gate.reached();
    const { thread } = findLineComment(world.repository, comment);
    for (const { id } of [...thread.comments])
      deleteLineComment(world.world, world.repository, id, { by: "wes" });
    await gate.open();
    expect(await outcomeOf(world, `ask-${pull}-line${comment}`)).toContain("> why?\n\nIt has to be.");
  });

  it("that nobody may give or that is none is answered all the same", async () => {
    world = await aWorld();
    const pull = await openChange(world, { "a.txt": "one\ntwo\nthree\n" });
    const about = await onLine(pull, 2, "/loom reviw", "rae");
    await settled(world);
    expect(readRemarks(world.repository, pull)[0]?.said).toMatchInlineSnapshot(`
      [
        "rae: /loom reviw",
        "loom[bot]: Line 1: There is no command \`reviw\`. Did you mean \`/loom review [--budget USD] [--harness NAME] [text…]\`? \`/loom help\` lists all commands.",
      ]
    `);
    expect(reactions(about)).toEqual(["eyes", "confused"]);
  });

  it("in a review is carried out once", async () => {
    world = await aWorld();
    const pull = await openChange(world, { "a.txt": "one\ntwo\nthree\n" });
    await scriptNow(world, { answer: [{ answer: "It is." }] });
    const review = submitReview(world.world, world.repository, world.get(pull) as PullIssue, {
      by: "mia",
      state: "COMMENTED",
      body: "Looks good.\n\n/loom ask Is it?",
    });
    expect(await outcomeOf(world, `ask-${pull}-review${review.id}`)).toContain("> Is it?\n\nIt is.");
    await settled(world);
    expect(world.said(pull)).toHaveLength(1);
  });
});
