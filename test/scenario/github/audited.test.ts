import { afterEach, describe, expect, it } from "vitest";
import { runGit } from "../../../playground/git/run-git.ts";
import { afterPush } from "../../../playground/model/pulls/after-push.ts";
import type { Refusal } from "../../../src/core/policy/boundaries.ts";
import { handleOnce } from "../../../src/engine/github/command/handle-once.ts";
import { approveRun } from "../../../src/engine/github/plan/approve-run.ts";
import { ask, check, offered, press, settled, write, writesFile } from "../../support/github-talk.ts";
import { aGitHubWorld, type GitHubWorld, planDocument } from "../../support/github-world.ts";

let world: GitHubWorld;
afterEach(() => world?.end());

const STAGE_SANDBOX = ["network", "sandbox", "import", "published"] as const;

/** What the log has about these boundaries, without what differs from run to run. */
const audited = (...sandboxSpec: Refusal["boundary"][]) =>
  world.loom.audits
    .filter(({ boundary }) => sandboxSpec.some((one) => one === boundary))
    .map(({ boundary, rule, run, stage, repo, who }) => [`${boundary}/${rule}`, run, stage, repo, who]);

const reach = (host: string) =>
  `node -e 'require("http").get({host:"127.0.0.1",port:3128,path:"http://${host}/"},r=>r.resume()).on("error",()=>{})'`;

describe("an operator sees attacks", () => {
  it("of an agent: hosts, files, limits and text that nobody sees, each with run and stage", async () => {
    world = await aGitHubWorld({
      config: { version: 1, limits: { retries: 0 } },
      env: { LOOM_SANDBOX: "bubblewrap", LOOM_LIMIT_CHANGE_FILES: "20" },
      script: {
        one: [
          { run: reach("evil.example") },
          { run: reach("169.254.169.254") },
          write(".github/workflows/x.yml"),
          { run: "ln -s /etc/passwd link && git init -q nested && truncate -s 60M large && touch 'dot.'" },
          ...["HEAD", "objects/x", "refs/x"].map((path) => write(`bare/${path}`)),
          write(
            "key.txt",
            `-----BEGIN PRIVATE KEY-----\n${"Zq9w81Lm0Xy7f3aK".repeat(8)}\n-----END PRIVATE KEY-----\n`,
          ),
        ],
        two: [
          write("two.txt", "if (a\u202e) {}\n"),
          write("two.lock"),
          write("-rf"),
          write(".gitattributes", "*.txt -diff\n"),
        ],
        three: [{ run: "seq 21 | xargs touch" }],
      },
    });
    const { plan, run } = await offered(world, [
      { ...writesFile("one"), acceptance: ["true"] },
      {
        ...writesFile("two"),
        sandbox: { limits: { file_mb: 1 }, filesystem: { deny_write: ["*.lock"] } },
        acceptance: ["exec head -c 3000000 /dev/zero > big"],
      },
      writesFile("three"),
    ]);
    await ask(world, plan.number, "/loom approve");
    await world.run(
      ({ stages }) => [...stages.values()].every(({ state }) => state.kind === "blocked"),
      "all stages blocked",
    );
    const told = (stage: string) => audited(...STAGE_SANDBOX).filter(([, , where]) => where === stage);
    const by = (who: string, stage: string, ...rules: string[]) =>
      rules.map((rule) => [rule, run.id, stage, "ada/tools", who]);
    expect(told("one")).toEqual(
      by(
        ...["agent", "one"],
        ...["network/host", "network/private"],
        ...["import/protected-path", "import/embedded-repository", "import/bad-name", "import/secret"],
        ...["import/oversized", "import/escaping-link", "import/submodule"],
      ),
    );
    expect(told("two")).toEqual([
      ...by("checks", "two", "sandbox/file"),
      ...by("agent", "two", "published/odd-name", "published/hidden-diff", "published/hidden-text"),
      ...by("agent", "two", "import/plan-rule"),
    ]);
    expect(told("three")).toEqual(by("agent", "three", "import/change-too-large"));
    const line = world.loom.warnings.find((text) => text.includes("network/private"));
    expect(line).toBe("refused at network/private (T7, T24, T30): a connection to 169.254.169.254.");
  });

  it("of people: commands, approvals, buttons, what was said before, plans that ask for too much or change unseen", async () => {
    world = await aGitHubWorld({ script: { one: [write("one.txt")] } });
    const network = { allowed_domains: ["127.0.0.1:6379"] };
    const { plan, run } = await offered(world, [
      { ...writesFile("one"), sandbox: { enabled: false, network } },
    ]);
    expect(audited("plan")).toEqual(
      ["plan/sandbox-off", "plan/private-host"].map((rule) => [rule, null, null, "ada/tools", "wes"]),
    );
    await ask(world, plan.number, "/loom cancel", "rae");
    for (let n = 0; n < 3; n += 1) await ask(world, plan.number, "/loom approve", "sam");
    world.label(plan.number, "loom: approve", "tia");
    await world.until(() => audited("approval").length > 0, "the label is refused");
    await ask(world, plan.number, "/loom approve 0000000");
    press(world, await check(world, "loom / plan"), "approve", "rae");
    await settled(world);
    const engine = await world.engine();
    await handleOnce(
      world.loom.hosted.host,
      engine,
      {
        ...{ number: plan.number, comment: 7, body: "/loom approve", at: "2020-01-01T00:00:00Z" },
        sender: { login: "wes", id: world.idOf("wes"), bot: false },
      } as never,
      () => Promise.reject(new Error("it was heard")),
    );
    const by = (who: string) => [run.id, null, "ada/tools", who];
    // The others of the same kind are counted.
    expect(audited("command", "approval", "replay")).toEqual([
      ["command/role", ...by("rae")],
      ["approval/role", ...by("tia")],
      ["approval/moved", ...by("wes")],
      ["replay/too-old", ...by("wes")],
    ]);

    // Somebody pushes to the plan, so that others approve what they did not see.
    const branch = plan.pull?.headRef ?? "";
    const first = { ...(await check(world, "loom / plan", ({ actions }) => actions.length > 0)) };
    await ask(world, plan.number, "/loom pause");
    press(world, first, "approve");
    await world.run(({ approval }) => approval.kind === "given", "an approval");
    const open = { ...writesFile("one"), sandbox: { network: { allowed_domains: ["*"] } } };
    const opened = await world.push(branch, { [run.planPath]: planDocument([open]) }, "mia");
    await world.run(({ refusedEdit }) => refusedEdit?.head === opened, "a plan that can't be used");
    await ask(world, plan.number, "/loom approve");
    // Back to what was approved before, for which the button was pressed once.
    await runGit(world.repository.gitDir, ["update-ref", `refs/heads/${branch}`, first.headSha]);
    const back = { ref: `refs/heads/${branch}`, before: opened, after: first.headSha };
    await afterPush(world.world, world.repository, [back], { by: "mia" });
    press(world, first, "approve");
    await settled(world);
    const { since } = (await world.run()).offer ?? { since: "" };
    await approveRun(engine, run.id, "write", {
      ...{ by: { login: "mia", id: world.idOf("mia") }, role: "write", via: "command", gesture: "new" },
      ...{ sha: null, at: new Date(Date.parse(since) - 1000).toISOString() },
    });
    await world.push(branch, { "notes.md": "More.\n" }, "mia");
    await ask(world, plan.number, "/loom approve");
    expect(audited("plan", "approval").slice(4)).toEqual([
      ["plan/whole-network", run.id, null, "ada/tools", null],
      ["approval/changed", ...by("wes")],
      ["approval/used", ...by("wes")],
      ["approval/older", ...by("mia")],
      ["approval/pushed", ...by("wes")],
    ]);
    await world.stopLoom();
  });
});
