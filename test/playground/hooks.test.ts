import { createHmac } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { install } from "../../playground/model/apps/install.ts";
import { suspend, unsuspend } from "../../playground/model/apps/suspend.ts";
import { uninstall } from "../../playground/model/apps/uninstall.ts";
import { createCheckRun } from "../../playground/model/checks/create-check-run.ts";
import { requestAction } from "../../playground/model/checks/request-action.ts";
import { rerequestCheckRun } from "../../playground/model/checks/rerequest-check-run.ts";
import { addComment } from "../../playground/model/issues/add-comment.ts";
import { addLabel } from "../../playground/model/issues/add-label.ts";
import { closeIssue } from "../../playground/model/issues/close-issue.ts";
import { editIssue } from "../../playground/model/issues/edit-issue.ts";
import { aToldWorld, EVERY_EVENT, NOW, type ToldWorld } from "./a-told-world.ts";
import { SECRET, startReceiver } from "./webhook-receiver.ts";

let world: ToldWorld["world"];
let hooks: ToldWorld["hooks"];
let receiver: ToldWorld["receiver"];
let repository: ToldWorld["repository"];
let app: ToldWorld["app"];
let installation: ToldWorld["installation"];
let anApp: ToldWorld["anApp"];
let anIssue: ToldWorld["anIssue"];
let aPull: ToldWorld["aPull"];

beforeEach(async () => {
  const told = await aToldWorld();
  ({ world, hooks, receiver, repository, app, installation, anApp, anIssue, aPull } = told);
  return told.close;
});

describe("a webhook", () => {
  it("is signed so that the library of real Apps takes it, and carries GitHub's headers", async () => {
    addComment(world, repository, anIssue(), { by: "ann", body: "/loom run – ünïcode ✓" });
    await hooks.whenDelivered();
    expect(receiver.names()).toEqual(["issues opened", "issue_comment created"]);
    const [first, comment] = receiver.received;
    expect(receiver.received.every(({ genuine }) => genuine)).toBe(true);
    expect(comment?.payload).toMatchObject({
      comment: { body: "/loom run – ünïcode ✓", user: { login: "ann", type: "User" } },
      repository: { full_name: "acme/app" },
      organization: { login: "acme" },
      installation: { id: installation.id },
      sender: { login: "ann" },
    });
    if (!comment) throw new Error("no comment came");
    const { headers, guid } = comment;
    expect(headers["user-agent"]).toMatch(/^GitHub-Hookshot\//);
    expect(guid).toMatch(/^[0-9a-f-]{36}$/);
    expect(guid).not.toBe(first?.guid);
    expect(headers["x-github-hook-installation-target-id"]).toBe(`${app.id}`);
    expect(headers["x-github-hook-installation-target-type"]).toBe("integration");
    const old = createHmac("sha1", SECRET).update(JSON.stringify(comment.payload)).digest("hex");
    expect(headers["x-hub-signature"]).toBe(`sha1=${old}`);
  });

  it("shows the world as it was, however late it is sent", async () => {
    const issue = anIssue("First title");
    editIssue(world, repository, issue, { by: "ann", title: "Second title" });
    const pull = await aPull("topic");
    addLabel(world, repository, pull, { by: "ann", label: "approved" });
    closeIssue(world, repository, pull, { by: "ann" });
    await hooks.whenDelivered();
    const seen = receiver.received.map(({ payload }) => payload);
    expect(seen[0]).toMatchObject({ action: "opened", issue: { title: "First title" } });
    expect(seen[1]).toMatchObject({
      changes: { title: { from: "First title" } },
      issue: { title: "Second title" },
    });
    expect(seen.find(({ action }) => action === "labeled")).toMatchObject({
      label: { name: "approved" },
      pull_request: {
        state: "open",
        labels: [{ name: "approved" }],
        commits: 1,
        additions: 1,
        changed_files: 1,
      },
    });
    expect(seen.at(-1)).toMatchObject({ action: "closed", pull_request: { state: "closed", merged: false } });
  });

  it("is noted as a delivery with its outcome, and never sent again by itself", async () => {
    receiver.answer = () => 500;
    anIssue();
    await hooks.whenDelivered();
    expect(receiver.received).toHaveLength(1);
    expect(world.github.deliveries).toMatchObject([
      {
        guid: receiver.received[0]?.guid,
        ...{ app: app.id, event: "issues", action: "opened", installation: installation.id },
        ...{
          repository: repository.id,
          redelivery: false,
          status: "Invalid HTTP Response: 500",
          statusCode: 500,
        },
        ...{ deliveredAt: NOW, payload: receiver.received[0]?.payload },
      },
    ]);
  });

  it("times out, and the next one is sent all the same", async () => {
    const hasty = await aToldWorld({ timeoutMs: 500 });
    hasty.hooks.inspect = null;
    let free = (): void => {};
    const never = new Promise<number>((resolve) => {
      free = () => resolve(200);
    });
    hasty.receiver.answer = ({ payload }) => (payload.action === "opened" ? never : 200);
    closeIssue(hasty.world, hasty.repository, hasty.anIssue(), { by: "ann" });
    await hasty.hooks.whenDelivered();
    const { deliveries } = hasty.world.github;
    expect(deliveries.map(({ action, status, statusCode }) => [action, status, statusCode])).toEqual([
      ["opened", "timed out", 504],
      ["closed", "OK", 200],
    ]);
    free();
    await hasty.close();
  });

  it("to an App that is down is noted, too", async () => {
    await receiver.close();
    anIssue();
    await hooks.whenDelivered();
    expect(world.github.deliveries).toMatchObject([{ status: "failed to connect to host", statusCode: 502 }]);
  });

  it("is sent again on demand with the same guid and payload, as a delivery of its own", async () => {
    anIssue();
    await hooks.whenDelivered();
    const [first] = world.github.deliveries;
    hooks.redeliver(first?.id ?? 0);
    await hooks.whenDelivered();
    const [, second] = world.github.deliveries;
    expect(second).toMatchObject({
      guid: first?.guid,
      redelivery: true,
      payload: first?.payload,
      statusCode: 202,
    });
    expect(second?.id).not.toBe(first?.id);
    expect(receiver.received.map(({ guid }) => guid)).toEqual([first?.guid, first?.guid]);
    expect(() => hooks.redeliver(1)).toThrow("failed to find the delivery 1");
  });
});

describe("who is told", () => {
  it("are the Apps that are installed on the repository and subscribe to the event", async () => {
    const [subscribed, deaf, elsewhere] = [
      anApp("Other", ["issues"]),
      anApp("Deaf", ["push"]),
      anApp("Else", ["issues"]),
    ];
    hooks.inspect = null;
    install(world, subscribed, { account: "acme" });
    install(world, deaf, { account: "acme" });
    install(world, elsewhere, { account: "acme", repositories: [] });
    await hooks.whenDelivered();
    receiver.received.length = 0;
    anIssue();
    await hooks.whenDelivered();
    expect(receiver.received.map(({ headers }) => Number(headers["x-github-hook-id"])).sort()).toEqual(
      [app.id, subscribed.id].sort(),
    );
    expect(new Set(receiver.received.map(({ guid }) => guid)).size).toBe(2);
  });

  it("is nobody while the installation is suspended or after it was removed, but for that very news", async () => {
    suspend(world, installation);
    anIssue();
    unsuspend(world, installation);
    anIssue();
    uninstall(world, installation);
    anIssue();
    await hooks.whenDelivered();
    expect(receiver.names()).toEqual([
      "installation suspend",
      "installation unsuspend",
      "issues opened",
      "installation deleted",
    ]);
  });

  it("is only the App concerned when a check is to be run again", async () => {
    const other = anApp("Other", EVERY_EVENT);
    install(world, other, { account: "acme" });
    const headSha = (await world.git.tip(repository.gitDir, "main")) ?? "";
    const fields = { by: app.bot, app: app.id, name: "loom", headSha, conclusion: "failure" } as const;
    const actions = [{ label: "Retry", description: "Try again", identifier: "retry" }];
    const run = await createCheckRun(world, repository, { ...fields, actions });
    await hooks.whenDelivered();
    receiver.received.length = 0;
    rerequestCheckRun(world, repository, run, { by: "ann" });
    requestAction(world, repository, run, { by: "ann", identifier: "retry" });
    await hooks.whenDelivered();
    expect(receiver.names()).toEqual(["check_run rerequested", "check_run requested_action"]);
    expect(receiver.received.every(({ headers }) => headers["x-github-hook-id"] === `${app.id}`)).toBe(true);
    expect(receiver.received[1]?.payload).toMatchObject({ requested_action: { identifier: "retry" } });
  });
});

describe("order", () => {
  it("is that of the changes, one at a time for each App", async () => {
    let open = 0;
    let most = 0;
    receiver.answer = async () => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
      return 200;
    };
    for (let n = 0; n < 30; n += 1) anIssue(`Issue ${n}`);
    await hooks.whenDelivered();
    const titles = receiver.received.map(({ payload }) => (payload.issue as { title: string }).title);
    expect(titles).toEqual(Array.from({ length: 30 }, (_, n) => `Issue ${n}`));
    expect(most).toBe(1);
  });

  it("does not let one App wait for another", async () => {
    const slow = await startReceiver();
    let free = (): void => {};
    slow.answer = () => new Promise((resolve) => (free = () => resolve(200)));
    install(world, anApp("Slow", ["issues"], slow.url), { account: "acme" });
    anIssue();
    await receiver.whenReceived("issues opened");
    await slow.whenReceived("installation created");
    expect(slow.names()).toEqual(["installation created"]);
    free();
    await slow.close();
  });
});
