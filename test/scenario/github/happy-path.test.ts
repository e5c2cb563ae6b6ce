import { afterEach, expect, it } from "vitest";
import { aGitHubWorld, type GitHubWorld, planDocument } from "../../support/github-world.ts";

let world: GitHubWorld;
afterEach(() => world?.end());

const write = (path: string, text: string) => ({ write: { path, text } });

it("turns an issue into a plan, the approved plan into pull requests, and those into merged code", async () => {
  world = await aGitHubWorld({
    config: { version: 1, merge: { mode: "auto" } },
    script: {
      first: [write("first.txt", "one\n")],
      second: [write("second.txt", "two\n")],
    },
  });
  const issue = world.issue({
    title: "Two files",
    body: planDocument([
      {
        id: "first",
        name: "Write the first file",
        description: "Write it.",
        acceptance: ["test -f first.txt"],
      },
      {
        id: "second",
        name: "Write the second file",
        description: "Write it.",
        dependencies: ["first"],
        acceptance: ["test -f second.txt"],
      },
    ]),
  });
  world.comment(issue, "/loom run");
  const plan = await world.planPull();
  expect(await world.reply(issue)).toContain(`#${plan.number}`);
  world.label(plan.number, "loom: approve");
  const run = await world.run(({ status }) => status === "completed", "the end of the run");
  expect([...run.stages.values()].map(({ state }) => state.kind)).toEqual(["completed", "completed"]);
  expect(await world.file("first.txt")).toBe("one\n");
  expect(await world.file("second.txt")).toBe("two\n");
});
