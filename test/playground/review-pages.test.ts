import { expect, it, onTestFinished } from "vitest";
import { commitFiles } from "../../playground/git/objects/commit-files.ts";
import { createRepository } from "../../playground/model/people/create-repository.ts";
import { setRole } from "../../playground/model/people/set-role.ts";
import { afterPush } from "../../playground/model/pulls/after-push.ts";
import { openPull } from "../../playground/model/pulls/open-pull.ts";
import { replyOnLine } from "../../playground/model/reviews/reply-on-line.ts";
import { reviewLines } from "../../playground/model/reviews/review-lines.ts";
import { startPlayground } from "../../playground/server.ts";
import { readRemarks } from "../support/read-remarks.ts";

it("a pull request's page shows comments below their lines, and people settle them there", async () => {
  const playground = await startPlayground();
  onTestFinished(() => playground.close());
  const { world } = playground;
  const repository = await createRepository(world, {
    owner: "ada",
    name: "shop",
    gitDir: playground.gitDir("ada", "shop"),
    files: { "a.txt": "one\ntwo\nthree\nfour\nfive\n" },
  });
  setRole(world, repository, { login: "wes", role: "write" });
  const push = async (text: string) => {
    const before = await world.git.tip(repository.gitDir, "topic");
    const commit = { author: { name: "wes", email: "wes@example.com" }, message: "Work", from: "main" };
    const after = await commitFiles(repository.gitDir, "topic", { "a.txt": text }, commit);
    await afterPush(world, repository, [{ ref: "refs/heads/topic", before, after }], { by: "wes" });
  };
  await push("one\ntwo\n3 <b>\nfour\nfive\n");
  const issue = await openPull(world, repository, { by: "wes", title: "T", head: "topic", base: "main" });
  const place = { path: "a.txt", side: "RIGHT", startSide: "RIGHT" } as const;
  await reviewLines(world, repository, issue, {
    by: "ada",
    state: "COMMENTED",
    body: "Two things",
    remarks: [
      { ...place, startLine: 2, line: 3, body: "why <i>this</i>?" },
      { ...place, startLine: null, line: 5, body: "fine" },
    ],
  });
  const [thread] = issue.pull.threads;
  replyOnLine(world, repository, thread?.comments[0]?.id ?? 0, { by: "wes", body: "because" });

  const address = `${playground.url}/ada/shop/pull/${issue.number}`;
  const read = async () => {
    const page = await (await fetch(address)).text();
    return [...page.matchAll(/<details class="box conversation"[\s\S]*?<\/details>/g)].map(([part]) => part);
  };
  const [first = "", second = ""] = await read();
  expect(first).toContain("Lines 2 to 3");
  expect(first).toContain("+3 &lt;b&gt;");
  expect(first.indexOf("why")).toBeLessThan(first.indexOf("because"));
  expect(first).not.toContain("Resolved");
  expect(second).toContain("Line 5");
  // The answer is a review for GitHub, and no card of its own.
  expect((await (await fetch(address)).text()).match(/class="happening"[\s\S]*?reviewed/g)).toHaveLength(1);

  await push("one\ntwo\n3 again\nfour\nfive\n");
  const settle = (id: number | undefined, wish: string) =>
    fetch(`${address}/threads/${id}`, {
      method: "POST",
      body: new URLSearchParams({ do: wish }),
      redirect: "manual",
    });
  expect((await settle(thread?.id, "resolve")).status).toBe(303);
  const [moved = ""] = await read();
  expect(moved).toContain("Outdated");
  expect(moved).toContain("Resolved");
  expect(readRemarks(repository, issue.number).map(({ lines, resolved }) => [lines, resolved])).toEqual([
    ["outdated", true],
    ["5", false],
  ]);
  await settle(thread?.id, "open");
  expect((await read())[0]).not.toContain("Resolved");
  expect((await settle(999_999, "resolve")).status).toBe(404);
  expect(playground.errors).toEqual([]);
});
