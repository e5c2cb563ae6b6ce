import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PullIssue } from "../../playground/model/find.ts";
import { setRole } from "../../playground/model/people/set-role.ts";
import { readRemarks } from "../support/read-remarks.ts";
import { actionsOf, aPlayground, openFrom, type Playground, refusalOf } from "./a-playground.ts";

const LINES = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);
const text = (change: (lines: string[]) => void): string => {
  const lines = [...LINES];
  change(lines);
  return `${lines.join("\n")}\n`;
};
const FIRST = text((lines) => {
  lines[9] = "changed 10";
  lines.splice(29, 1, "changed 30", "added 31");
});

let playground: Playground;
let firstHead: string;
beforeEach(async () => {
  playground = await aPlayground({ files: { "a.txt": text(() => {}), "b.txt": "b\n" } });
});
afterEach(async () => {
  const { problems, world } = playground;
  await playground.close();
  expect(problems).toEqual([]);
  expect(world.unknownPaths).toEqual([]);
});

type Wish = {
  path?: string;
  line: number;
  start_line?: number;
  side?: string;
  start_side?: string;
  body?: string;
};

async function aChange(files: Record<string, string | null> = { "a.txt": FIRST }) {
  firstHead = await playground.push("topic", files);
  return openFrom(playground, "topic");
}

function review(
  pull: { pull_number: number },
  comments: Wish[],
  more: { by?: string; commit_id?: string } = {},
) {
  const { by, ...rest } = more;
  const octokit = by === undefined ? playground.asInstallation() : playground.as(by);
  return octokit.pulls.createReview({
    ...playground.at,
    pull_number: pull.pull_number,
    event: "COMMENT",
    body: "Look",
    ...rest,
    comments: comments.map((wish) => ({ path: "a.txt", body: "why?", side: "RIGHT", ...wish })),
  });
}

const shown = (number: number) => readRemarks(playground.repository, number).map(({ lines }) => lines);

describe("a comment on a line", () => {
  it("lands on changed lines and on the three around them, on either side", async () => {
    const pull = await aChange();
    const { data } = await review(pull, [
      { line: 10 },
      { line: 7 },
      { line: 13 },
      { line: 31, start_line: 30, start_side: "RIGHT" },
      { line: 30, side: "LEFT" },
    ]);
    expect([data.state, data.user?.login, data.commit_id]).toEqual(["COMMENTED", "loom[bot]", firstHead]);
    const bot = playground.asInstallation();
    const { data: listed } = await bot.pulls.listReviewComments(pull);
    expect(
      listed.map((one) => [one.line, one.start_line, one.side, one.position, one.pull_request_review_id]),
    ).toEqual([
      [10, null, "RIGHT", 5, data.id],
      [7, null, "RIGHT", 1, data.id],
      [13, null, "RIGHT", 8, data.id],
      [31, 30, "RIGHT", 15, data.id],
      [30, null, "LEFT", 13, data.id],
    ]);
    expect(listed[1]?.diff_hunk).toBe("@@ -7,7 +7,7 @@ line 6\n line 7");
    expect((await bot.pulls.get(pull)).data.review_comments).toBe(5);
    expect(actionsOf(playground, "pull_request_review")).toEqual(["submitted"]);
    expect(actionsOf(playground, "pull_request_review_comment")).toHaveLength(5);
  });

  it.each([
    [
      "outside of the diff",
      { line: 6 },
      "Pull request review thread line must be part of the diff and Pull request review thread diff hunk can't be blank",
    ],
    [
      "past the end of the file",
      { line: 99 },
      "Pull request review thread line must be part of the diff and Pull request review thread diff hunk can't be blank",
    ],
    [
      "of a file that is not changed",
      { path: "b.txt", line: 1 },
      "Pull request review thread path is invalid and Pull request review thread diff hunk can't be blank",
    ],
    [
      "that begin in another hunk",
      { line: 30, start_line: 10 },
      "Pull request review thread start line must be part of the same hunk as the line.",
    ],
    [
      "that begin where they end",
      { line: 30, start_line: 30 },
      "Pull request review thread start line must precede the end line.",
    ],
    [
      "that end nowhere",
      { line: 20, start_line: 10 },
      "Pull request review thread line must be part of the diff, Pull request review thread start line must be part of the same hunk as the line., and Pull request review thread diff hunk can't be blank",
    ],
  ])("is refused on lines %s, and the whole review with it", async (_where, wish, words) => {
    const pull = await aChange();
    expect(await refusalOf(review(pull, [{ line: 10 }, wish]))).toEqual({
      status: 422,
      message: `Unprocessable Entity: ${words}`,
    });
    const { data } = await playground.asInstallation().pulls.listReviews(pull);
    expect(data).toEqual([]);
    expect(shown(pull.pull_number)).toEqual([]);
  });

  it("finds no line of a file that was removed, nor of a binary one", async () => {
    const pull = await aChange({ "a.txt": FIRST, "b.txt": null, "c.bin": "\u0000\u0001" });
    for (const path of ["b.txt", "c.bin"]) {
      expect((await refusalOf(review(pull, [{ path, line: 1 }]))).message).toContain(
        "must be part of the diff",
      );
    }
    await review(pull, [{ path: "b.txt", line: 1, side: "LEFT" }]);
  });

  it("belongs to a commit of the pull request", async () => {
    const pull = await aChange();
    const main = await playground.world.git.tip(playground.repository.gitDir, "main");
    expect((await refusalOf(review(pull, [{ line: 10 }], { commit_id: main ?? "" }))).message).toBe(
      "Unprocessable Entity: commit_id is not part of the pull request",
    );
    await playground.push("topic", { "a.txt": FIRST.replace("line 1\n", "before\nline 1\n") });
    await review(pull, [{ line: 10 }], { commit_id: firstHead });
    expect(shown(pull.pull_number)).toEqual(["11"]);
  });

  it("is edited and deleted by its author and by those who may write", async () => {
    const pull = await aChange();
    setRole(playground.world, playground.repository, { login: "wes", role: "write" });
    await review(pull, [{ line: 10, body: "mine" }], { by: "rae" });
    const one = { ...playground.at, comment_id: 0 };
    const bot = playground.asInstallation();
    one.comment_id = (await bot.pulls.listReviewComments(pull)).data[0]?.id ?? 0;
    expect(await refusalOf(playground.as("eve").pulls.updateReviewComment({ ...one, body: "x" }))).toEqual({
      status: 403,
      message: "Must have write rights to Repository.",
    });
    for (const octokit of [playground.as("rae"), playground.as("wes"), bot]) {
      await octokit.pulls.updateReviewComment({ ...one, body: "changed" });
    }
    expect((await bot.pulls.getReviewComment(one)).data.body).toBe("changed");
    await playground.as("rae").pulls.deleteReviewComment(one);
    expect((await refusalOf(bot.pulls.getReviewComment(one))).status).toBe(404);
    expect(actionsOf(playground, "pull_request_review_comment")).toEqual(["created", "edited", "deleted"]);
  });

  it("is answered in its conversation, which lasts as long as one comment does", async () => {
    const pull = await aChange();
    await review(pull, [{ line: 10 }]);
    const bot = playground.asInstallation();
    const [first] = (await bot.pulls.listReviewComments(pull)).data;
    const { data: reply } = await playground
      .as("rae")
      .pulls.createReplyForReviewComment({ ...pull, comment_id: first?.id ?? 0, body: "because" });
    expect([reply.in_reply_to_id, reply.line]).toEqual([first?.id, 10]);
    expect(readRemarks(playground.repository, pull.pull_number)).toEqual([
      { path: "a.txt", lines: "10", resolved: false, said: ["loom[bot]: why?", "rae: because"] },
    ]);
    await bot.pulls.deleteReviewComment({ ...playground.at, comment_id: first?.id ?? 0 });
    expect(readRemarks(playground.repository, pull.pull_number)[0]?.said).toEqual(["rae: because"]);
    await bot.pulls.deleteReviewComment({ ...playground.at, comment_id: reply.id });
    expect(readRemarks(playground.repository, pull.pull_number)).toEqual([]);
  });
});

describe("a push", () => {
  it("takes a conversation along with its line", async () => {
    const pull = await aChange();
    await review(pull, [{ line: 10 }, { line: 31, start_line: 30 }]);
    await playground.push("topic", { "a.txt": `new 1\nnew 2\n${FIRST}` });
    expect(shown(pull.pull_number)).toEqual(["12", "32-33"]);
    const { data } = await playground.asInstallation().pulls.listReviewComments(pull);
    expect([data[0]?.line, data[0]?.original_line, data[0]?.original_commit_id]).toEqual([12, 10, firstHead]);
    expect(data[0]?.commit_id).not.toBe(firstHead);
  });

  it("leaves it behind when the line is gone, and brings it back with the line", async () => {
    const pull = await aChange();
    await review(pull, [{ line: 10 }, { line: 31 }]);
    await playground.push("topic", { "a.txt": FIRST.replace("changed 10", "changed again") });
    expect(shown(pull.pull_number)).toEqual(["outdated", "31"]);
    const { data } = await playground.asInstallation().pulls.listReviewComments(pull);
    expect([data[0]?.line, data[0]?.position, data[0]?.commit_id]).toEqual([undefined, undefined, firstHead]);
    await playground.push("topic", { "a.txt": FIRST });
    expect(shown(pull.pull_number)).toEqual(["10", "31"]);
  });

  it("leaves it behind when the diff does not show the line any more, or the file has gone", async () => {
    const pull = await aChange({ "a.txt": FIRST, "c.txt": "c\n" });
    await review(pull, [{ line: 7 }, { path: "c.txt", line: 1 }]);
    await playground.push("topic", { "a.txt": FIRST.replace("changed 10", "line 10"), "c.txt": null });
    expect(shown(pull.pull_number)).toEqual(["outdated", "outdated"]);
  });
});

describe("GraphQL", () => {
  const THREADS = `query ($owner: String!, $name: String!, $number: Int!, $after: String) {
    repository(owner: $owner, name: $name) { pullRequest(number: $number) {
      reviewThreads(first: 2, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { id isResolved isOutdated line comments(first: 1) { nodes { fullDatabaseId author { __typename login } } } }
      }
    } }
  }`;
  const RESOLVE =
    "mutation Settle($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { id isResolved } } }";
  const at = (number: number) => ({ owner: "ada", name: "tools", number });
  type Threads = {
    repository: {
      pullRequest: {
        reviewThreads: {
          pageInfo: { hasNextPage: boolean; endCursor: string };
          nodes: { id: string; isResolved: boolean; comments: { nodes: unknown[] } }[];
        };
      };
    };
  };
  const errorsOf = async (call: Promise<unknown>): Promise<string[]> =>
    call.then(
      () => [],
      (error: { errors?: { type?: string; message: string }[]; message: string }) =>
        (error.errors ?? [error]).map((one) => `${"type" in one ? one.type : "-"} ${one.message}`),
    );

  it("lists conversations by pages, and a bot without its suffix", async () => {
    const pull = await aChange();
    await review(pull, [{ line: 10 }, { line: 11 }]);
    await review(pull, [{ line: 12 }], { by: "rae" });
    const bot = playground.asInstallation();
    const first = await bot.graphql<Threads>(THREADS, at(pull.pull_number));
    const { nodes, pageInfo } = first.repository.pullRequest.reviewThreads;
    expect(nodes.map(({ comments }) => comments.nodes[0])).toMatchObject([
      { author: { __typename: "Bot", login: "loom" } },
      { author: { __typename: "Bot", login: "loom" } },
    ]);
    expect(pageInfo.hasNextPage).toBe(true);
    const rest = await bot.graphql<Threads>(THREADS, { ...at(pull.pull_number), after: pageInfo.endCursor });
    expect(rest.repository.pullRequest.reviewThreads).toMatchObject({
      pageInfo: { hasNextPage: false },
      nodes: [
        {
          line: 12,
          isOutdated: false,
          comments: { nodes: [{ author: { __typename: "User", login: "rae" } }] },
        },
      ],
    });
  });

  it("settles a conversation for those who may push, and for the author of the pull request", async () => {
    const pull = await aChange();
    await review(pull, [{ line: 10 }]);
    const bot = playground.asInstallation();
    const list = await bot.graphql<Threads>(THREADS, at(pull.pull_number));
    const id = list.repository.pullRequest.reviewThreads.nodes[0]?.id ?? "";
    const narrow = playground.asInstallation({ permissions: { pull_requests: "write", contents: "read" } });
    expect(await errorsOf(narrow.graphql(RESOLVE, { id }))).toEqual([
      "FORBIDDEN Resource not accessible by integration",
    ]);
    expect(await errorsOf(playground.as("rae").graphql(RESOLVE, { id }))).toEqual([
      "FORBIDDEN rae does not have the correct permissions to execute `ResolveReviewThread`",
    ]);
    expect(readRemarks(playground.repository, pull.pull_number)[0]?.resolved).toBe(false);
    for (let time = 0; time < 2; time += 1) {
      expect(await bot.graphql(RESOLVE, { id })).toEqual({
        resolveReviewThread: { thread: { id, isResolved: true } },
      });
    }
    const issue = playground.repository.issues.get(pull.pull_number) as PullIssue;
    expect(issue.pull.threads[0]?.resolvedBy).toBe("loom[bot]");
  });

  it("says what there is not with status 200", async () => {
    const pull = await aChange();
    const bot = playground.asInstallation();
    expect(await errorsOf(bot.graphql(THREADS, at(999)))).toEqual([
      "NOT_FOUND Could not resolve to a PullRequest with the number of 999.",
    ]);
    expect(await errorsOf(bot.graphql(THREADS, { ...at(pull.pull_number), name: "nothing" }))).toEqual([
      "NOT_FOUND Could not resolve to a Repository with the name 'ada/nothing'.",
    ]);
    expect(await errorsOf(bot.graphql(RESOLVE, { id: "x" }))).toEqual([
      "NOT_FOUND Could not resolve to a node with the global id of 'x'",
    ]);
  });

  it("does not know what nobody asks for, and a test that asks for it fails", async () => {
    const bot = playground.asInstallation();
    expect(await errorsOf(bot.graphql("query { viewer { login } }"))).toEqual([
      "- Field 'viewer' doesn't exist on type 'Query'",
    ]);
    expect(await errorsOf(bot.graphql("query { repository(owner: 1 }"))).toEqual([
      "- Expected a name, actual: }",
    ]);
    expect(playground.world.unknownPaths.splice(0)).toEqual([
      "POST /graphql: Field 'viewer' doesn't exist on type 'Query'",
      "POST /graphql: Expected a name, actual: }",
    ]);
  });
});
