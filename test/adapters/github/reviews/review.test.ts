import { describe, expect, it } from "vitest";
import type { PullIssue } from "../../../../playground/model/find.ts";
import { createUser } from "../../../../playground/model/people/create-user.ts";
import { openPull } from "../../../../playground/model/pulls/open-pull.ts";
import { editLineComment } from "../../../../playground/model/reviews/edit-line-comment.ts";
import { replyOnLine } from "../../../../playground/model/reviews/reply-on-line.ts";
import { resolveThread } from "../../../../playground/model/reviews/resolve-thread.ts";
import { reviewLines } from "../../../../playground/model/reviews/review-lines.ts";
import { submitReview } from "../../../../playground/model/reviews/submit-review.ts";
import type { LineRemark } from "../../../../src/core/findings/line-remark.ts";
import type { ReviewSpec } from "../../../../src/ports/github/reviews.ts";
import { readRemarks, readReviews } from "../../../support/read-remarks.ts";
import { type Hosted, hostedRepository } from "../support/hosted-repository.ts";

const TEXT = Array.from({ length: 30 }, (_, index) => `line ${index + 1}\n`).join("");
const REVIEWS = "/repos/{owner}/{repo}/pulls/{pull_number}/reviews";

async function aChange(text = TEXT) {
  const hosted = await hostedRepository();
  const head = await hosted.push("topic", { "a.txt": text }, "main");
  const wish = { by: "pat", title: "A change", head: "topic", base: "main" };
  const issue = await openPull(hosted.playground.world, hosted.repository, wish);
  return { hosted, head, issue };
}

type Remark = ReviewSpec["remarks"][number];
const remark = (key: string, line: number, more: Partial<Remark> = {}): Remark => ({
  key,
  path: "a.txt",
  startLine: null,
  line,
  body: `About ${key}.`,
  ...more,
});
const spec = (head: string, remarks: Remark[], key = "review/1"): ReviewSpec => ({
  key,
  head,
  body: "I looked at it.",
  remarks,
});

const seen = ({ repository }: Hosted, { number }: PullIssue) => readRemarks(repository, number);

/** Somebody else comments on a line. */
function commentOn({ playground, repository }: Hosted, issue: PullIssue, by: string, body: string) {
  const place = { path: "a.txt", side: "RIGHT", line: 3, startSide: "RIGHT", startLine: null } as const;
  return reviewLines(playground.world, repository, issue, {
    by,
    state: "COMMENTED",
    remarks: [{ ...place, body }],
  });
}

describe("a review", () => {
  it("is one request with all its remarks", async () => {
    const { hosted, head, issue } = await aChange();
    hosted.requests();
    const remarks = [
      remark("one", 2),
      remark("two", 9, { startLine: 7 }),
      remark("same", 4, { startLine: 4 }),
    ];
    expect(await hosted.reviews.review(issue.number, spec(head, remarks))).toEqual({ kind: "made" });
    expect(hosted.requests().filter((line) => !line.startsWith("GET"))).toEqual([
      `POST /pulls/${issue.number}/reviews`,
    ]);
    expect(readReviews(hosted.repository, issue.number, "loom[bot]")).toEqual(["I looked at it."]);
    expect(issue.pull.reviews[0]).toMatchObject({
      state: "COMMENTED",
      commit: head,
      body: "I looked at it.\n\n<!-- loom:review/1 -->",
    });
    expect(seen(hosted, issue)).toEqual([
      { path: "a.txt", lines: "2", resolved: false, said: ["loom[bot]: About one."] },
      { path: "a.txt", lines: "4", resolved: false, said: ["loom[bot]: About same."] },
      { path: "a.txt", lines: "7-9", resolved: false, said: ["loom[bot]: About two."] },
    ]);
    expect(issue.pull.threads[0]?.comments[0]?.body).toBe("About one.\n\n<!-- loom:one -->");
  });

  it("can have no remark at all", async () => {
    const { hosted, head, issue } = await aChange();
    expect(await hosted.reviews.review(issue.number, spec(head, []))).toEqual({ kind: "made" });
    expect(issue.pull.reviews).toHaveLength(1);
  });

  it("is made once per key, also by another process", async () => {
    const { hosted, head, issue } = await aChange();
    await hosted.reviews.review(issue.number, spec(head, [remark("one", 2)]));
    const other = await hosted.again();
    expect(await other.reviews.review(issue.number, spec(head, [remark("one", 2)]))).toEqual({
      kind: "found",
    });
    expect(await other.reviews.review(issue.number, spec(head, [], "review/2"))).toEqual({ kind: "made" });
    expect([issue.pull.reviews.length, issue.pull.threads.length]).toEqual([2, 1]);
  });

  it.each([
    ["502 came", { kind: "fail-after-applying", status: 502 }],
    ["the connection broke", { kind: "hang-up", afterApplying: true }],
  ] as const)("is made once, though %s after GitHub had made it", async (_what, effect) => {
    const { hosted, head, issue } = await aChange();
    hosted.playground.faults.inject({ on: "request", match: { method: "POST", route: REVIEWS }, effect });
    expect(await hosted.reviews.review(issue.number, spec(head, [remark("one", 2)]))).toEqual({
      kind: "found",
    });
    expect([issue.pull.reviews.length, issue.pull.threads.length]).toEqual([1, 1]);
  });

  it("waits for a limit to end, and is then made", async () => {
    const { hosted, head, issue } = await aChange();
    const effect = { kind: "rate-limit", secondary: true, retryAfter: 5 } as const;
    hosted.playground.faults.inject({ on: "request", match: { method: "POST", route: REVIEWS }, effect });
    expect(await hosted.reviews.review(issue.number, spec(head, [remark("one", 2)]))).toEqual({
      kind: "made",
    });
    expect(issue.pull.reviews).toHaveLength(1);
  });

  it("is found among more than a hundred", async () => {
    const { hosted, head, issue } = await aChange();
    const { world } = hosted.playground;
    const others = (count: number) => {
      for (let at = 0; at < count; at += 1)
        submitReview(world, hosted.repository, issue, { by: "pat", state: "COMMENTED", body: "hm" });
    };
    others(120);
    await hosted.reviews.review(issue.number, spec(head, []));
    others(120);
    expect(await hosted.reviews.review(issue.number, spec(head, []))).toEqual({ kind: "found" });
  });

  it("is not taken for made when somebody else wrote its marker", async () => {
    const { hosted, head, issue } = await aChange();
    const body = "mine\n\n<!-- loom:review/1 -->";
    const { world } = hosted.playground;
    for (const by of ["pat", "loom"])
      submitReview(world, hosted.repository, issue, { by, state: "COMMENTED", body });
    expect(await hosted.reviews.review(issue.number, spec(head, []))).toEqual({ kind: "made" });
  });

  it("is not made when the head has moved", async () => {
    const { hosted, head, issue } = await aChange();
    await hosted.push("topic", { "a.txt": `more\n${TEXT}` });
    expect(await hosted.reviews.review(issue.number, spec(head, [remark("one", 2)]))).toEqual({
      kind: "stale",
    });
    expect(issue.pull.reviews).toEqual([]);
  });

  it("is stale also when the head moved after it was looked at", async () => {
    const { hosted, head, issue } = await aChange();
    // The push arrives while the request is on its way.
    let release = (): void => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    const held = hosted.playground.faults.inject({
      on: "request",
      match: { method: "POST", route: REVIEWS },
      effect: { kind: "delay", until },
    });
    const outcome = hosted.reviews.review(issue.number, spec(head, [remark("one", 2)]));
    await held.whenFired;
    await hosted.push("topic", { "c.txt": "c\n" }, "main");
    release();
    expect(await outcome).toEqual({ kind: "stale" });
    expect(issue.pull.reviews).toEqual([]);
  });

  it("that GitHub refuses is told in GitHub's words", async () => {
    const { hosted, head, issue } = await aChange();
    const remarks = [remark("one", 2), remark("two", 99)];
    expect(await hosted.reviews.review(issue.number, spec(head, remarks))).toMatchInlineSnapshot(`
      {
        "kind": "refused",
        "reason": "Unprocessable Entity · Pull request review thread line must be part of the diff and Pull request review thread diff hunk can't be blank",
      }
    `);
    expect(issue.pull.reviews).toEqual([]);
  });

  it("gets another text below which its marker stays, and tells when it is gone", async () => {
    const { hosted, head, issue } = await aChange();
    const { reviews } = hosted;
    const body = "mine\n\n<!-- loom:review/1 -->";
    submitReview(hosted.playground.world, hosted.repository, issue, { by: "pat", state: "COMMENTED", body });
    const louder = (before: string): string => `${before}!`;
    expect(await reviews.editReview(issue.number, "review/1", louder)).toBe("gone");
    await reviews.review(issue.number, spec(head, [remark("one", 2)]));
    expect(await reviews.editReview(issue.number, "review/1", louder)).toBe("edited");
    expect(issue.pull.reviews.map((one) => one.body)).toEqual([
      body,
      "I looked at it.!\n\n<!-- loom:review/1 -->",
    ]);
    hosted.requests();
    expect(await reviews.editReview(issue.number, "review/1", (before) => before)).toBe("edited");
    expect(hosted.requests().filter((line) => !line.startsWith("GET"))).toEqual([]);
  });
});

describe("what GitHub shows of a change", () => {
  it("is told file by file, and large ones without their lines", async () => {
    const { hosted, issue } = await aChange();
    await hosted.push("topic", { "large.txt": "x\n".repeat(20_001), "b.txt": "b\n" });
    const patches = await hosted.reviews.shownPatches(issue.number);
    expect(patches.map(({ path, patch }) => [path, patch?.split("\n", 1)[0] ?? null])).toEqual([
      ["a.txt", "@@ -0,0 +1,30 @@"],
      ["b.txt", "@@ -0,0 +1 @@"],
      ["large.txt", null],
    ]);
  });
});

describe("the texts of reviews", () => {
  it("are Loom's own, with their keys", async () => {
    const { hosted, head, issue } = await aChange();
    const { world } = hosted.playground;
    createUser(world, { login: "loom" });
    await hosted.reviews.review(issue.number, spec(head, [remark("one", 2)]));
    for (const by of ["pat", "loom"])
      submitReview(world, hosted.repository, issue, {
        by,
        state: "COMMENTED",
        body: "mine\n\n<!-- loom:review/9 -->",
      });
    submitReview(world, hosted.repository, issue, { by: "loom[bot]", state: "COMMENTED", body: "unmarked" });
    await hosted.reviews.review(issue.number, spec(head, [], "review/2"));
    expect(await hosted.reviews.reviewTexts(issue.number)).toEqual([
      { key: "review/1", body: "I looked at it." },
      { key: "review/2", body: "I looked at it." },
    ]);
  });
});

describe("remarks on lines", () => {
  const told = (remarks: readonly LineRemark[]) =>
    remarks.map(({ key, path, line, resolvedBy }) => [key, path, line, resolvedBy]);

  it("are told with their keys, where they stand now, and whether they are settled", async () => {
    const { hosted, head, issue } = await aChange();
    await hosted.reviews.review(issue.number, spec(head, [remark("one", 2), remark("two", 9)]));
    const [one] = await hosted.reviews.lineRemarks(issue.number);
    expect(one).toEqual({
      id: issue.pull.threads[0]?.comments[0]?.id,
      key: "one",
      body: "About one.",
      path: "a.txt",
      line: 2,
      startLine: null,
      resolvedBy: null,
      replies: [],
      thread: expect.any(String),
    });
    await hosted.push("topic", { "a.txt": `before\n${TEXT.replace("line 9\n", "other\n")}` });
    await hosted.reviews.resolveRemark(one?.thread ?? "");
    expect(told(await hosted.reviews.lineRemarks(issue.number))).toEqual([
      ["one", "a.txt", 3, "loom"],
      ["two", "a.txt", null, null],
    ]);
  });

  it("are told with who settled them: Loom, or somebody else", async () => {
    const { hosted, head, issue } = await aChange();
    const keys = ["open", "own", "pat"];
    await hosted.reviews.review(
      issue.number,
      spec(
        head,
        keys.map((key, at) => remark(key, at + 1)),
      ),
    );
    const [, own, pat] = issue.pull.threads;
    if (own) resolveThread(own, { by: "loom[bot]" });
    if (pat) resolveThread(pat, { by: "pat" });
    const settled = await hosted.reviews.lineRemarks(issue.number);
    expect(settled.map(({ resolvedBy }) => resolvedBy)).toEqual([null, "loom", "people"]);
  });

  it("are told with all their lines, and with what people answered", async () => {
    const { hosted, head, issue } = await aChange();
    await hosted.reviews.review(issue.number, spec(head, [remark("one", 9, { startLine: 7 })]));
    const to = issue.pull.threads[0]?.comments[0]?.id ?? 0;
    replyOnLine(hosted.playground.world, hosted.repository, to, { by: "pat", body: "Intended." });
    expect(await hosted.reviews.lineRemarks(issue.number)).toMatchObject([
      { line: 9, startLine: 7, replies: [{ author: "pat", text: "Intended." }] },
    ]);
  });

  it("are all told, beyond the first hundred", async () => {
    const { hosted, head, issue } = await aChange(Array.from({ length: 230 }, (_, at) => `${at}\n`).join(""));
    const remarks = Array.from({ length: 230 }, (_, at) => remark(`key-${at + 1}`, at + 1));
    await hosted.reviews.review(issue.number, spec(head, remarks));
    const found = await hosted.reviews.lineRemarks(issue.number);
    expect(found.map(({ line }) => line)).toEqual(remarks.map(({ line }) => line));
  });

  it("are Loom's own only: not those of people, whatever their name and text", async () => {
    const { hosted, head, issue } = await aChange();
    const { world } = hosted.playground;
    createUser(world, { login: "loom" });
    await commentOn(hosted, issue, "pat", "mine\n\n<!-- loom:one -->");
    await commentOn(hosted, issue, "loom", "mine\n\n<!-- loom:one -->");
    await hosted.reviews.review(
      issue.number,
      spec(head, [remark("one", 2, { body: "Quoted:\n<!-- loom:two -->\nend" })]),
    );
    const found = await hosted.reviews.lineRemarks(issue.number);
    expect(told(found)).toEqual([["one", "a.txt", 2, null]]);
    const theirs = issue.pull.threads[0]?.comments[0];
    expect(await hosted.reviews.editRemark(theirs?.id ?? 0, "taken over")).toBe("gone");
    expect(theirs?.body).toContain("mine");
    // An answer of Loom's below somebody's comment does not make the conversation Loom's.
    replyOnLine(world, hosted.repository, theirs?.id ?? 0, {
      by: "loom[bot]",
      body: "x\n\n<!-- loom:three -->",
    });
    expect(told(await hosted.reviews.lineRemarks(issue.number))).toEqual([["one", "a.txt", 2, null]]);
  });

  it("stay Loom's when people edit them, as long as the marker stays", async () => {
    const { hosted, head, issue } = await aChange();
    const { world } = hosted.playground;
    await hosted.reviews.review(issue.number, spec(head, [remark("one", 2), remark("two", 5)]));
    const [one, two] = await hosted.reviews.lineRemarks(issue.number);
    const edit = (id: number | undefined, body: string) =>
      editLineComment(world, hosted.repository, id ?? 0, { by: "pat", body });
    edit(one?.id, "Fixed by pat.\r\n\r\n<!-- loom:one -->\r\n");
    edit(two?.id, "No marker.");
    const found = await hosted.reviews.lineRemarks(issue.number);
    expect(found.map(({ key, body }) => [key, body])).toEqual([["one", "Fixed by pat."]]);
  });

  it("are edited in place, keep their marker, and tell when they are gone", async () => {
    const { hosted, head, issue } = await aChange();
    await hosted.reviews.review(issue.number, spec(head, [remark("one", 2)]));
    const comment = issue.pull.threads[0]?.comments[0];
    const id = comment?.id ?? 0;
    expect(await hosted.reviews.editRemark(id, "Still so.")).toBe("edited");
    expect(comment?.body).toBe("Still so.\n\n<!-- loom:one -->");
    hosted.requests();
    expect(await hosted.reviews.editRemark(id, "Still so.")).toBe("edited");
    expect(hosted.requests().filter((line) => !line.startsWith("GET"))).toEqual([]);
    issue.pull.threads.length = 0;
    expect(await hosted.reviews.editRemark(id, "Gone?")).toBe("gone");
  });

  it("are settled once; one that is settled or gone is fine", async () => {
    const { hosted, head, issue } = await aChange();
    await hosted.reviews.review(issue.number, spec(head, [remark("one", 2)]));
    const [one] = await hosted.reviews.lineRemarks(issue.number);
    const thread = one?.thread ?? "";
    hosted.playground.faults.inject({
      on: "request",
      match: { method: "POST", path: /\/api\/graphql$/ },
      effect: { kind: "fail-after-applying", status: 502 },
    });
    await hosted.reviews.resolveRemark(thread);
    const [model] = issue.pull.threads;
    expect(model?.resolvedBy).toBe("loom[bot]");
    if (model) resolveThread(model, { by: "pat", resolved: false });
    if (model) resolveThread(model, { by: "pat" });
    await hosted.reviews.resolveRemark(thread);
    expect(model?.resolvedBy).toBe("pat");
    issue.pull.threads.length = 0;
    await hosted.reviews.resolveRemark(thread);
    expect(await hosted.reviews.resolveRemark("nothing that GitHub knows")).toBe("resolved");
    expect(hosted.warnings).toEqual([]);
  });

  it("that GitHub does not settle stay open, and that is told", async () => {
    const { hosted, head, issue } = await aChange();
    await hosted.reviews.review(issue.number, spec(head, [remark("one", 2)]));
    const [one] = await hosted.reviews.lineRemarks(issue.number);
    const errors = [{ type: "UNPROCESSABLE", message: "Not today." }];
    hosted.playground.faults.inject({
      on: "request",
      match: { method: "POST", path: /\/api\/graphql$/ },
      effect: { kind: "fail", status: 200, body: { data: null, errors } },
    });
    expect(await hosted.reviews.resolveRemark(one?.thread ?? "")).toBe("refused");
    expect(issue.pull.threads[0]?.resolvedBy).toBeNull();
    expect(hosted.warnings).toEqual([expect.stringContaining("Not today.")]);
  });
});
