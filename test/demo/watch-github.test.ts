import { expect, it } from "vitest";
import { watchGitHub } from "../../demo/watch-github.ts";
import { addComment } from "../../playground/model/add-comment.ts";
import { createRepository } from "../../playground/model/create-repository.ts";
import { editComment } from "../../playground/model/edit-comment.ts";
import { openIssue } from "../../playground/model/open-issue.ts";
import { startPlayground } from "../../playground/server.ts";

const panel = (state: string, pull = ""): string =>
  `<!-- loom:panel x -->\n\n|  | Stage | State | PR | Evidence | Time |\n|---|---|---|---|---|---|\n| ● | \`build\` Build it | ${state} | ${pull} |  |  |\n`;

/** What is told when the panel of a run shows one state after the other. */
async function told(...states: readonly (readonly [string, string?])[]): Promise<string[]> {
  const github = await startPlayground();
  try {
    const { world } = github;
    const gitDir = github.gitDir("ada", "tools");
    const repository = await createRepository(world, {
      owner: "ada",
      name: "tools",
      gitDir,
      files: { a: "1" },
    });
    const issue = openIssue(world, repository, { by: "ada", title: "T", body: "" });
    const sights: string[] = [];
    const demo = { github, repository, bot: "loom[bot]" };
    const watch = watchGitHub(demo, ({ who, text }) => sights.push(`${who} ${text}`));
    const comment = addComment(world, repository, issue, { by: "loom[bot]", body: panel("waiting") });
    for (const [state, pull] of states)
      editComment(world, repository, comment.id, { by: "loom[bot]", body: panel(state, pull) });
    watch.stop();
    return sights;
  } finally {
    await github.close();
  }
}

it("tells of a failed try and of a conflict however much of them the panel shows", async () => {
  const failed = "Loom build did not pass its checks; try 2 begins";
  const conflict = "Loom build conflicts with what was merged; an agent resolves it";
  const works = "Loom build: an agent is at work";
  const checks = "Loom build: checks run on a clean checkout";
  expect(
    await told(
      ["working"],
      ["working (2nd try)"],
      ["verifying (2nd try): x"],
      ["conflict: in a", "#7"],
      ["resolving (3rd try)", "#7"],
      ["verifying (3rd try)", "#7"],
      ["merged", "#7"],
    ),
  ).toEqual([works, failed, checks, conflict, checks]);
  expect(await told(["working"], ["verifying (2nd try)"], ["resolving (3rd try)", "#7"])).toEqual([
    works,
    failed,
    checks,
    conflict,
  ]);
  expect(await told(["working"], ["resolving (3rd try)", "#7"])).toEqual([works, failed, conflict]);
  expect(await told(["merging", "#7"], ["verifying (2nd try)", "#7"])).toEqual([
    "Loom build has to fit what was merged meanwhile; try 2 begins",
    checks,
  ]);
  expect(await told(["blocked: why"])).toEqual(["Loom build is stuck and needs somebody"]);
});
