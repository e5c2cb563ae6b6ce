import { afterEach, describe, expect, it } from "vitest";
import type { Refusal } from "../../../src/core/audit/walls.ts";
import { heedOnce } from "../../../src/engine/hosted/heed-once.ts";
import { ask, check, offered, press, settled, write, writesFile } from "../../support/github-talk.ts";
import { aGitHubWorld, type GitHubWorld } from "../../support/github-world.ts";

let world: GitHubWorld;
afterEach(() => world?.end());

/** What the log has about these walls, without what differs from run to run. */
const audited = (...walls: Refusal["wall"][]) =>
  world.loom.audits
    .filter(({ wall }) => walls.some((one) => one === wall))
    .map(({ wall, rule, run, stage, repo, who }) => [`${wall}/${rule}`, run, stage, repo, who]);

const reach = (host: string) =>
  `node -e 'require("http").get({host:"127.0.0.1",port:3128,path:"http://${host}/"},r=>r.resume()).on("error",()=>{})'`;

describe("an operator sees attacks", () => {
  it("of an agent: hosts, files, limits and text that nobody sees, each with run and stage", async () => {
    world = await aGitHubWorld({
      config: { version: 1, limits: { retries: 0 } },
      env: { LOOM_SANDBOX: "bubblewrap" },
      script: {
        one: [
          { run: reach("evil.example") },
          { run: reach("169.254.169.254") },
          write(".github/workflows/x.yml"),
          write(
            "key.txt",
            `-----BEGIN PRIVATE KEY-----\n${"Zq9w81Lm0Xy7f3aK".repeat(8)}\n-----END PRIVATE KEY-----\n`,
          ),
        ],
        two: [write("two.txt", "if (a\u202e) {}\n")],
      },
    });
    const { plan, run } = await offered(world, [
      { ...writesFile("one"), acceptance: ["true"] },
      {
        ...writesFile("two"),
        sandbox: { limits: { file_mb: 1 } },
        acceptance: ["exec head -c 3000000 /dev/zero > big"],
      },
    ]);
    await ask(world, plan.number, "/loom approve");
    await world.run(
      ({ stages }) => [...stages.values()].every(({ state }) => state.kind === "blocked"),
      "both stages blocked",
    );
    const of = (stage: string) => [run.id, stage, "ada/tools"];
    const one = audited("network", "import");
    expect(one).toEqual([
      ["network/host", ...of("one"), "agent"],
      ["network/private", ...of("one"), "agent"],
      ["import/protected-path", ...of("one"), "agent"],
      ["import/secret", ...of("one"), "agent"],
    ]);
    expect(audited("room", "published")).toEqual([
      ["room/file", ...of("two"), "checks"],
      ["published/hidden-text", ...of("two"), "agent"],
    ]);
    const line = world.loom.warnings.find((text) => text.includes("network/private"));
    expect(line).toBe("refused at network/private (T7, T24, T30): a connection to 169.254.169.254.");
  });

  it("of people: commands, approvals, buttons and what was said before, and of plans that ask for too much", async () => {
    world = await aGitHubWorld({ script: { one: [write("one.txt")] } });
    const reaches = { ...writesFile("one"), sandbox: { network: { allowed_domains: ["127.0.0.1:6379"] } } };
    const { plan, run } = await offered(world, [reaches]);
    expect(audited("plan")).toEqual([["plan/private-host", null, null, "ada/tools", "wes"]]);
    await ask(world, plan.number, "/loom cancel", "rae");
    for (let n = 0; n < 3; n += 1) await ask(world, plan.number, "/loom approve", "sam");
    world.label(plan.number, "loom: approve", "tia");
    await world.until(() => audited("approval").length > 0, "the label is refused");
    await ask(world, plan.number, "/loom approve 0000000");
    press(world, await check(world, "loom / plan"), "approve", "rae");
    await settled(world);
    const engine = await world.engine();
    await heedOnce(
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
    await world.stopLoom();
  });
});
