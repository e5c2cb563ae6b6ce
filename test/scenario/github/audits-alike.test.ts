import { afterEach, describe, expect, it } from "vitest";
import { resolveThread } from "../../../playground/model/reviews/resolve-thread.ts";
import { auditTalk, headline, numbered } from "../../support/audit-talk.ts";
import { aGitHubWorld, type GitHubWorld } from "../../support/github-world.ts";
import { openChange } from "../../support/task-talk.ts";

/** Findings of one title in several places are several findings. */

let world: GitHubWorld;
afterEach(() => world?.end());

const aWorld = (): Promise<GitHubWorld> => aGitHubWorld({ config: { version: 1, harness: "scripted" } });
const { remarks, reviews, threads, states, review, push } = auditTalk(() => world);

const TITLE = { title: "Missing title tag", file: "a.html", line: 1, body: "In a." };
const ALT = { title: "Missing alt text", file: "a.html", line: 10 };

function settleFirst(pull: number): void {
  const [first] = threads(pull);
  if (first) resolveThread(first, { by: "mia" });
}

describe("a new finding with an old title", () => {
  it("in another file has a remark of its own, whatever became of the old one", async () => {
    world = await aWorld();
    const pull = await openChange(world, { "a.html": numbered(9) });
    await review(pull, [TITLE]);
    await push({ "b.html": numbered(9) });
    const inB = { ...TITLE, file: "b.html", body: "In b." };
    expect(headline(await review(pull, [inB], { F1: "stands" }))).toBe(
      "**Review.** Findings: 1 new, 1 as before.",
    );
    expect(remarks(pull).map(({ path, said }) => [path, said[0]?.split("\n\n")[1]])).toEqual([
      ["a.html", "In a."],
      ["b.html", "In b."],
    ]);
    // Without ids, and the other way round.
    expect(headline(await review(pull, [inB, TITLE]))).toBe("**Review.** Findings: 2 as before.");
    settleFirst(pull);
    await push({ "c.html": numbered(9) });
    expect(headline(await review(pull, [{ ...TITLE, file: "c.html" }], { F2: "stands" }))).toBe(
      "**Review.** Findings: 1 new, 1 as before.",
    );
    expect(states(pull).map((state) => state.split(" Missing")[0])).toEqual([
      "a.html:1 resolved",
      "b.html:1 open",
      "c.html:1 open",
    ]);
  });

  it("far off in the same file has a remark of its own, whatever became of the old one", async () => {
    world = await aWorld();
    const pull = await openChange(world, { "a.html": numbered(300) });
    await review(pull, [ALT]);
    await push({ "a.html": numbered(400) });
    expect(headline(await review(pull, [{ ...ALT, line: 350 }], { F1: "stands" }))).toBe(
      "**Review.** Findings: 1 new, 1 as before.",
    );
    settleFirst(pull);
    const worse = { ...ALT, line: 200, severity: "critical" as const };
    expect(headline(await review(pull, [worse], { F2: "stands" }))).toBe(
      "**Review.** Findings: 1 new, 1 as before.",
    );
    expect(states(pull)).toEqual([
      "a.html:10 resolved Missing alt text",
      "a.html:200 open Missing alt text",
      "a.html:350 open Missing alt text",
    ]);
    expect(reviews(pull)).toHaveLength(3);
  });

  it("is the old one in a file that was renamed, and stands there from then on", async () => {
    world = await aWorld();
    const pull = await openChange(world, { "a.html": numbered(9) });
    await review(pull, [TITLE]);
    await push({ "a.html": null, "b.html": numbered(9) });
    expect(headline(await review(pull, [{ ...TITLE, file: "b.html" }]))).toBe(
      "**Review.** Findings: 1 updated.",
    );
    expect(states(pull)).toEqual([
      "a.html:outdated resolved Missing title tag",
      "b.html:1 open Missing title tag",
    ]);
  });

  it("is the old one wherever it stands, when the agent says so by its id", async () => {
    world = await aWorld();
    const pull = await openChange(world, { "a.html": numbered(300), "b.html": numbered(9) });
    await review(pull, [ALT]);
    expect(headline(await review(pull, [{ ...ALT, id: "F1", line: 200 }]))).toBe(
      "**Review.** Findings: 1 updated.",
    );
    expect(headline(await review(pull, [{ ...ALT, id: "F1", file: "b.html", line: 3 }]))).toBe(
      "**Review.** Findings: 1 updated.",
    );
    expect(states(pull)).toEqual(["a.html:10 resolved Missing alt text", "b.html:3 open Missing alt text"]);
  });
});
