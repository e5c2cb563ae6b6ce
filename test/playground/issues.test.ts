import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { addMember } from "../../playground/model/people/add-member.ts";
import { createUser } from "../../playground/model/people/create-user.ts";
import { roleOf } from "../../playground/model/people/role.ts";
import { setRole } from "../../playground/model/people/set-role.ts";
import { aPlayground, type Playground, refusalOf } from "./a-playground.ts";

let playground: Playground;
beforeEach(async () => {
  playground = await aPlayground();
});
afterEach(async () => {
  const { problems, world } = playground;
  await playground.close();
  expect(problems).toEqual([]);
  expect(world.unknownPaths).toEqual([]);
});

/** Events of the whole test, as `event.action by sender`. */
function story(): string[] {
  return playground.changes
    .filter((change) => !["installation", "repository", "member"].includes(change.event))
    .map((change) => `${[change.event, change.action].filter(Boolean).join(".")} by ${change.sender}`);
}

describe("issues", () => {
  it("are opened, edited, closed with a reason and opened again", async () => {
    const ada = playground.as("ada");
    const { data: issue } = await ada.issues.create({
      ...playground.at,
      title: "Slow start",
      body: "It is.",
    });
    const one = { ...playground.at, issue_number: issue.number };
    await ada.issues.update({ ...one, title: "Very slow start" });
    const { data: closed } = await ada.issues.update({
      ...one,
      state: "closed",
      state_reason: "not_planned",
    });
    expect([closed.title, closed.state, closed.state_reason]).toEqual([
      "Very slow start",
      "closed",
      "not_planned",
    ]);
    expect((await ada.issues.listForRepo(playground.at)).data).toEqual([]);
    await ada.issues.update({ ...one, state: "open" });
    expect((await ada.issues.get(one)).data.state_reason).toBe("reopened");
    expect(story()).toEqual([
      "issues.opened by ada",
      "issues.edited by ada",
      "issues.closed by ada",
      "issues.reopened by ada",
    ]);
  });

  it("come in pages with links between them", async () => {
    const ada = playground.as("ada");
    for (let number = 1; number <= 5; number += 1)
      await ada.issues.create({ ...playground.at, title: `Issue ${number}` });
    const { data, headers } = await ada.issues.listForRepo({
      ...playground.at,
      per_page: 2,
      page: 2,
      direction: "asc",
    });
    expect(data.map((issue) => issue.number)).toEqual([3, 4]);
    const links = (headers.link ?? "")
      .split(", ")
      .map((link) => /[?&]page=(\d+).*; rel="(\w+)"/.exec(link)?.slice(1).join(" "));
    expect(links).toEqual(["1 prev", "3 next", "3 last", "1 first"]);
    const all = await ada.paginate(ada.issues.listForRepo, { ...playground.at, per_page: 2 });
    expect(all).toHaveLength(5);
  });
});

describe("comments", () => {
  it("carry the App that wrote them and a bot as their author", async () => {
    const { data: issue } = await playground.as("ada").issues.create({ ...playground.at, title: "Slow" });
    const bot = playground.asInstallation();
    const { data } = await bot.issues.createComment({
      ...playground.at,
      issue_number: issue.number,
      body: "On it",
    });
    expect(data.user).toMatchObject({ login: "loom[bot]", type: "Bot" });
    expect(data.performed_via_github_app?.slug).toBe("loom");
    await bot.issues.updateComment({ ...playground.at, comment_id: data.id, body: "Done" });
    await bot.issues.updateComment({ ...playground.at, comment_id: data.id, body: "Done" });
    expect((await bot.issues.getComment({ ...playground.at, comment_id: data.id })).data.body).toBe("Done");
    await bot.issues.deleteComment({ ...playground.at, comment_id: data.id });
    expect((await bot.issues.listComments({ ...playground.at, issue_number: issue.number })).data).toEqual(
      [],
    );
    expect(story().slice(1)).toEqual([
      "issue_comment.created by loom[bot]",
      "issue_comment.edited by loom[bot]",
      "issue_comment.deleted by loom[bot]",
    ]);
  });

  it("of a whole repository come in one list", async () => {
    const ada = playground.as("ada");
    for (const title of ["One", "Two"]) {
      const { data } = await ada.issues.create({ ...playground.at, title });
      await ada.issues.createComment({ ...playground.at, issue_number: data.number, body: `On ${title}` });
    }
    const { data } = await ada.issues.listCommentsForRepo({ ...playground.at, direction: "desc" });
    expect(data.map((comment) => comment.body)).toEqual(["On Two", "On One"]);
  });

  it("hold 65,536 characters and not one more", async () => {
    const ada = playground.as("ada");
    const { data: issue } = await ada.issues.create({ ...playground.at, title: "Long" });
    const one = { ...playground.at, issue_number: issue.number };
    await ada.issues.createComment({ ...one, body: "ä".repeat(65_536) });
    expect(await refusalOf(ada.issues.createComment({ ...one, body: "ä".repeat(65_537) }))).toEqual({
      status: 422,
      message: "Validation Failed: body is too long (maximum is 65536 characters)",
    });
  });

  it("can be changed by their author and by people with write only", async () => {
    const { world, repository } = playground;
    createUser(world, { login: "eve" });
    setRole(world, repository, { login: "tom", role: "triage" });
    const { data: issue } = await playground.as("eve").issues.create({ ...playground.at, title: "Mine" });
    const { data } = await playground
      .as("eve")
      .issues.createComment({ ...playground.at, issue_number: issue.number, body: "a" });
    const edit = (login: string) =>
      playground.as(login).issues.updateComment({ ...playground.at, comment_id: data.id, body: login });
    expect((await refusalOf(edit("tom"))).status).toBe(403);
    await edit("eve");
    await edit("ada");
  });

  it("on a pull request need the permission for pull requests, on an issue that for issues", async () => {
    await playground.push("topic", { "a.txt": "a\n" });
    const { data: pull } = await playground
      .as("ada")
      .pulls.create({ ...playground.at, title: "T", head: "topic", base: "main" });
    const { data: issue } = await playground.as("ada").issues.create({ ...playground.at, title: "I" });
    const bot = playground.asInstallation({ permissions: { pull_requests: "write" } });
    await bot.issues.createComment({ ...playground.at, issue_number: pull.number, body: "fine" });
    const onIssue = bot.issues.createComment({ ...playground.at, issue_number: issue.number, body: "no" });
    expect((await refusalOf(onIssue)).status).toBe(403);
  });
});

describe("reactions", () => {
  it("are there once per person and kind", async () => {
    const ada = playground.as("ada");
    const { data: issue } = await ada.issues.create({ ...playground.at, title: "R" });
    const { data: comment } = await ada.issues.createComment({
      ...playground.at,
      issue_number: issue.number,
      body: "b",
    });
    const bot = playground.asInstallation();
    const one = { ...playground.at, comment_id: comment.id };
    const first = await bot.reactions.createForIssueComment({ ...one, content: "eyes" });
    const second = await bot.reactions.createForIssueComment({ ...one, content: "eyes" });
    expect([first.status, second.status, second.data.id]).toEqual([201, 200, first.data.id]);
    expect((await bot.reactions.listForIssueComment(one)).data.map((each) => each.content)).toEqual(["eyes"]);
    expect((await bot.issues.getComment(one)).data.reactions?.eyes).toBe(1);
    await bot.reactions.deleteForIssueComment({ ...one, reaction_id: first.data.id });
    expect((await bot.reactions.listForIssueComment(one)).data).toEqual([]);
    await bot.reactions.createForIssue({ ...playground.at, issue_number: issue.number, content: "rocket" });
  });
});

describe("labels", () => {
  it("are set by people with triage, and the sender is told", async () => {
    const { world, repository } = playground;
    setRole(world, repository, { login: "tom", role: "triage" });
    setRole(world, repository, { login: "rea", role: "read" });
    const { data: issue } = await playground.as("ada").issues.create({ ...playground.at, title: "L" });
    const one = { ...playground.at, issue_number: issue.number };
    expect((await refusalOf(playground.as("rea").issues.addLabels({ ...one, labels: ["bug"] }))).status).toBe(
      403,
    );
    await playground.as("tom").issues.addLabels({ ...one, labels: ["bug", "loom: approved"] });
    const labeled = playground.changes.filter((change) => change.action === "labeled");
    expect(labeled.map((change) => [change.sender, change.subject.label])).toEqual([
      ["tom", "bug"],
      ["tom", "loom: approved"],
    ]);
    expect(
      (await playground.as("ada").issues.getLabel({ ...playground.at, name: "LOOM: approved" })).data.name,
    ).toBe("loom: approved");
    await playground.as("tom").issues.removeLabel({ ...one, name: "bug" });
    expect(await refusalOf(playground.as("tom").issues.removeLabel({ ...one, name: "bug" }))).toEqual({
      status: 404,
      message: "Label does not exist",
    });
    const { data } = await playground.as("tom").issues.setLabels({ ...one, labels: ["documentation"] });
    expect(data.map((label) => label.name)).toEqual(["documentation"]);
    expect((await playground.as("ada").issues.listLabelsOnIssue(one)).data).toHaveLength(1);
  });

  it("are dropped without a word when a stranger sends them along with the text", async () => {
    createUser(playground.world, { login: "eve" });
    const eve = playground.as("eve");
    const labels = ["loom: approved"];
    const { data: issue } = await eve.issues.create({ ...playground.at, title: "Mine", labels });
    const one = { ...playground.at, issue_number: issue.number };
    expect((await eve.issues.update({ ...one, title: "Still mine", labels })).data).toMatchObject({
      title: "Still mine",
      labels: [],
    });
    expect((await refusalOf(eve.issues.addLabels({ ...one, labels }))).status).toBe(403);
  });

  it("have one name whatever its case", async () => {
    const ada = playground.as("ada");
    await ada.issues.createLabel({ ...playground.at, name: "done", color: "00ff00" });
    expect(await refusalOf(ada.issues.createLabel({ ...playground.at, name: "Done" }))).toEqual({
      status: 422,
      message: "Validation Failed: name already_exists",
    });
    expect((await ada.issues.listLabelsForRepo(playground.at)).data.map((label) => label.name)).toContain(
      "done",
    );
  });
});

describe("permission of a person", () => {
  it("is not what stands beside their comment", async () => {
    const { world, repository } = playground;
    addMember(world, "ada", "mia");
    const mia = playground.as("mia");
    const { data: issue } = await mia.issues.create({ ...playground.at, title: "As a member" });
    expect(issue.author_association).toBe("MEMBER");
    expect(roleOf(world, repository, "mia")).toBe("read");
  });

  it("names the role, and folds it in the old field", async () => {
    const { world, repository } = playground;
    const roles = ["admin", "maintain", "write", "triage", "read"] as const;
    for (const role of roles) setRole(world, repository, { login: `u-${role}`, role });
    createUser(world, { login: "stranger" });
    const bot = playground.asInstallation();
    const read = async (username: string) => {
      const { data } = await bot.repos.getCollaboratorPermissionLevel({ ...playground.at, username });
      return `${data.role_name}/${data.permission}`;
    };
    expect(await Promise.all(roles.map((role) => read(`u-${role}`)))).toEqual([
      "admin/admin",
      "maintain/write",
      "write/write",
      "triage/read",
      "read/read",
    ]);
    expect(await read("stranger")).toBe("read/read");
    repository.private = true;
    expect(await read("stranger")).toBe("none/none");
    expect((await refusalOf(read("nobody"))).status).toBe(404);
    expect((await refusalOf(playground.as("stranger").repos.get(playground.at))).status).toBe(404);
  });
});
