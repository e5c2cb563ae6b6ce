import { describe, expect, it } from "vitest";
import { addComment } from "../../../../playground/model/issues/add-comment.ts";
import { openIssue } from "../../../../playground/model/issues/open-issue.ts";
import { createUser } from "../../../../playground/model/people/create-user.ts";
import { openPull } from "../../../../playground/model/pulls/open-pull.ts";
import { editLineComment } from "../../../../playground/model/reviews/edit-line-comment.ts";
import { replyOnLine } from "../../../../playground/model/reviews/reply-on-line.ts";
import { reviewLines } from "../../../../playground/model/reviews/review-lines.ts";
import { submitReview } from "../../../../playground/model/reviews/submit-review.ts";
import type { Issue } from "../../../../playground/model/types.ts";
import { AccessLost } from "../../../../src/ports/github/access-lost.ts";
import { type Hosted, hostedRepository } from "../support/hosted-repository.ts";

const anIssue = ({ playground, repository }: Hosted) =>
  openIssue(playground.world, repository, { by: "pat", title: "Add a login", body: "Please" });

function say({ playground, repository }: Hosted, issue: Issue, body: string, by = "pat"): number {
  return addComment(playground.world, repository, issue, { by, body }).id;
}

describe("a thread", () => {
  it("is told oldest first, with who said it, and what Loom said itself", async () => {
    const hosted = await hostedRepository();
    const issue = anIssue(hosted);
    const first = say(hosted, issue, "/loom run");
    await hosted.threads.comment(issue.number, "panel", "Running");
    // A person may be called like the App.
    const fake = say(hosted, issue, "mine\n\n<!-- loom:panel -->", "loom");
    const [one, two, three] = await hosted.threads.thread(issue.number);
    expect(one).toEqual({
      id: first,
      kind: "thread",
      place: null,
      author: "pat",
      at: expect.any(String),
      body: "/loom run",
      own: false,
      editedAt: null,
    });
    expect(Number.isNaN(Date.parse(one?.at ?? ""))).toBe(false);
    expect(two).toMatchObject({ author: "loom[bot]", body: "Running\n\n<!-- loom:panel -->", own: true });
    expect(three).toMatchObject({ id: fake, author: "loom", own: false });
  });

  it("has at most its newest 300 comments", async () => {
    const hosted = await hostedRepository();
    const issue = anIssue(hosted);
    for (let count = 1; count <= 250; count += 1) say(hosted, issue, `${count}`);
    const bodies = async () => (await hosted.threads.thread(issue.number)).map(({ body }) => body);
    expect(await bodies()).toHaveLength(250);
    for (let count = 251; count <= 690; count += 1) say(hosted, issue, `${count}`);
    const newest = await bodies();
    expect([newest.length, newest[0], newest.at(-1)]).toEqual([300, "391", "690"]);
    const { threads } = await hosted.again();
    hosted.requests();
    const fresh = (await threads.thread(issue.number)).map(({ body }) => body);
    expect(fresh).toEqual(newest);
    // The first page says that there are seven.
    expect(hosted.requests()).toEqual(
      Array.from({ length: 5 }, () => `GET /issues/${issue.number}/comments`),
    );
    issue.comments.length = 450;
    const left = (await threads.thread(issue.number)).map(({ body }) => body);
    expect([left.length, left[0], left.at(-1)]).toEqual([300, "151", "450"]);
  });

  it("has no comment that is longer than 20,000 characters", async () => {
    const hosted = await hostedRepository();
    const issue = anIssue(hosted);
    say(hosted, issue, "🧵".repeat(15_000));
    const [comment] = await hosted.threads.thread(issue.number);
    expect(comment?.body.length).toBeLessThanOrEqual(20_000);
    expect(comment?.body).toMatch(/🧵\n\n… \(\d+ more characters\)$/);
  });

  it("of nothing is empty, unless it is the repository that is gone", async () => {
    const hosted = await hostedRepository({ private: true });
    expect(await hosted.threads.thread(999)).toEqual([]);
    expect(await hosted.reviews.lineRemarks(999)).toEqual([]);
    hosted.installation.repositories.length = 0;
    await expect(hosted.threads.thread(999)).rejects.toBeInstanceOf(AccessLost);
    await expect(hosted.reviews.lineRemarks(999)).rejects.toBeInstanceOf(AccessLost);
  });
});

describe("reviews", () => {
  it("are told with what they say on lines, when they were edited, and which are Loom's own", async () => {
    const hosted = await hostedRepository();
    const { playground, repository, reviews } = hosted;
    const { world } = playground;
    for (const login of ["loom", "mia"]) createUser(world, { login });
    const head = await hosted.push("topic", { "a.txt": "one\ntwo\n" }, "main");
    const pull = await openPull(world, repository, { by: "pat", title: "A", head: "topic", base: "main" });
    const place = { path: "a.txt", side: "RIGHT", line: 2, startSide: "RIGHT", startLine: null } as const;
    const remarks = [{ ...place, body: "Why two?" }];
    await reviewLines(world, repository, pull, { by: "mia", state: "COMMENTED", body: "Hm.", remarks });
    const [first] = pull.pull.threads[0]?.comments ?? [];
    if (!first) throw new Error("nobody commented");
    const reply = replyOnLine(world, repository, first.id, { by: "loom", body: "Because." });
    await reviews.review(pull.number, {
      key: "review/1",
      head,
      body: "I looked.",
      remarks: [{ key: "one", path: "a.txt", startLine: null, line: 1, body: "One." }],
    });
    const told = async () =>
      (await reviews.reviews(pull.number)).map(({ kind, place: where, author, body, own }) =>
        [kind, where, author, body.split("\n")[0], own ? "own" : "theirs"].join(" | "),
      );
    expect(await told()).toEqual([
      "review |  | mia | Hm. | theirs",
      "line | a.txt:2 | mia | Why two? | theirs",
      "line | a.txt:2 | loom | Because. | theirs",
      "review |  | loom | I looked. | own",
      "line | a.txt:1 | loom | One. | own",
    ]);
    expect((await reviews.reviews(pull.number)).map(({ editedAt }) => editedAt)).toEqual(Array(5).fill(null));
    editLineComment(world, repository, reply.id, { by: "loom", body: "Because of three." });
    const [review] = pull.pull.reviews;
    if (review) Object.assign(review, { body: "Hm?", editedAt: world.clock.now() });
    const edited = (await reviews.reviews(pull.number)).filter(({ editedAt }) => editedAt !== null);
    expect(edited.map(({ body }) => body)).toEqual(["Hm?", "Because of three."]);
    // What no line of the change shows any more is named by the line that it stood on.
    await hosted.push("topic", { "a.txt": "one\n" }, "topic");
    expect(await reviews.reviews(pull.number)).toContainEqual(expect.objectContaining({ place: "a.txt:2" }));
  });

  it("of nothing are none, unless it is the repository that is gone", async () => {
    const { reviews, installation } = await hostedRepository({ private: true });
    expect(await reviews.reviews(999)).toEqual([]);
    installation.repositories.length = 0;
    await expect(reviews.reviews(999)).rejects.toBeInstanceOf(AccessLost);
  });

  it("are heard in part where one says nothing as a whole", async () => {
    const { playground, repository, reviews, push } = await hostedRepository();
    await push("topic", { "a.txt": "one\n" }, "main");
    const wish = { by: "pat", title: "A", head: "topic", base: "main" };
    const pull = await openPull(playground.world, repository, wish);
    createUser(playground.world, { login: "mia" });
    submitReview(playground.world, repository, pull, { by: "mia", state: "APPROVED" });
    expect(await reviews.reviews(pull.number)).toEqual([]);
  });
});

describe("a comment below a remark on a line", () => {
  it("is one reply that changes, and a comment in the thread once the conversation is gone", async () => {
    const { playground, repository, threads, push } = await hostedRepository();
    const { world } = playground;
    await push("topic", { "a.txt": "one\ntwo\n" }, "main");
    const pull = await openPull(world, repository, { by: "pat", title: "A", head: "topic", base: "main" });
    const place = { path: "a.txt", side: "RIGHT", line: 2, startSide: "RIGHT", startLine: null } as const;
    const remarks = [{ ...place, body: "Why two?" }];
    await reviewLines(world, repository, pull, { by: "pat", state: "COMMENTED", remarks });
    const first = pull.pull.threads[0]?.comments[0]?.id ?? 0;
    const said = await threads.comment(pull.number, "reply-1", "At work.", first);
    expect(await threads.comment(pull.number, "reply-1", "Done.", first)).toEqual(said);
    const bodies = () => pull.pull.threads.flatMap(({ comments }) => comments.map(({ body }) => body));
    expect(bodies()).toEqual(["Why two?", "Done.\n\n<!-- loom:reply-1 -->"]);
    expect(pull.comments).toEqual([]);
    await threads.comment(pull.number, "reply-2", "Nobody is here.", 999_999);
    expect(pull.comments.map(({ body }) => body)).toEqual(["Nobody is here.\n\n<!-- loom:reply-2 -->"]);
  });
});
