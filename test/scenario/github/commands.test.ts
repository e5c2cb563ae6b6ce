import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Injected } from "../../../playground/faults.ts";
import { addComment } from "../../../playground/model/issues/add-comment.ts";
import { editComment } from "../../../playground/model/issues/edit-comment.ts";
import { registerApp } from "../../../playground/server.ts";
import { advanceRun } from "../../../src/engine/run/advance-run.ts";
import { ask, offered, reactions, replyTo, settled, writesFile } from "../../support/github-talk.ts";
import { aGitHubWorld, type GitHubWorld, planDocument } from "../../support/github-world.ts";

describe("what people say to Loom before anything runs", () => {
  let world: GitHubWorld;
  let issue: number;
  let unsaid: { fault: Injected; comment: number };
  beforeAll(async () => {
    world = await aGitHubWorld({
      config: { version: 1, limits: { max_stages: 3 } },
      files: {
        "docs/plan.md": planDocument([writesFile("one")]),
        "docs/broken.md": planDocument([
          { id: "one", name: "One", description: "One.", dependencies: ["tow"] },
          { id: "two", name: "Two", description: "Two.", acceptance: 7 },
          { id: "Two!", name: "", description: "Two." },
        ]),
      },
    });
    issue = world.issue({ body: "Words should be counted." });
    // It takes a while until Loom stops asking, so this goes on behind the other stories.
    const fault = world.github.faults.inject({
      on: "request",
      match: { method: "GET", path: /collaborators\/ada\/permission$/ },
      times: Number.POSITIVE_INFINITY,
      effect: { kind: "fail", status: 500 },
    });
    unsaid = { fault, comment: world.comment(issue, "/loom run docs/plan.md", "ada") };
    await fault.whenFired;
  });
  afterAll(() => world.end());

  const say = (body: string, by?: string): Promise<string> => ask(world, issue, body, by);
  /** How often Loom spoke in the thread, besides what is put into its mouth. */
  const count = (): number => world.said(issue).filter((body) => !body.startsWith("/loom")).length;
  /** Nothing is said after it: the fence is answered, and nothing else is. */
  async function expectSilence(act: () => unknown): Promise<void> {
    const before = count();
    await act();
    await settled(world, 1);
    await say("/loom help", "rae");
    expect(count()).toBe(before + 1);
  }

  it("explains the commands to whoever asks, by what they may use", async () => {
    expect(await say("/loom help")).toMatchInlineSnapshot(`
      "### Loom's commands

      | Command | What it does | Needs | Example |
      |---|---|---|---|
      | \`/loom run [path] [--budget USD] [--harness NAME] [--depth DEPTH] [--express] [text…]\` | Plan this issue, or take the plan at \`path\`, and build it once the plan is approved. Words behind it or in the lines around it are for the planner. The depth of the design is \`quick\`, \`standard\` or \`deep\`; \`--express\` asks no questions. | write | \`/loom run --budget 20\` |
      | \`/loom plan [path] [--depth DEPTH] [text…]\` | Open the plan of this issue, or the one at \`path\`, to be read; approving it builds it. | write | \`/loom plan --depth deep\` |
      | \`/loom revise <text…>\` | Have the plan changed as you say; it has to be approved again, and finished stages stay. | write | \`/loom revise Keep the old endpoint and add a second one.\` |
      | \`/loom approve [sha]\` | Approve the plan as it stands, or only if its head is \`sha\`. | write | \`/loom approve SHA\` |
      | \`/loom status\` | Say how far the run is and who has to act, or what agents are at here. | read | \`/loom status\` |
      | \`/loom retry [stage]\` | Give a blocked stage, or every blocked stage, fresh attempts. | write | \`/loom retry build-api\` |
      | \`/loom skip <stage>\` | Go on without a stage. | write | \`/loom skip update-docs\` |
      | \`/loom pause\` | Start nothing new; what runs may finish. | write | \`/loom pause\` |
      | \`/loom resume\` | Go on after a pause or a fault. | write | \`/loom resume\` |
      | \`/loom cancel\` | End the run for good, and stop agents at work here; what is merged stays. | write | \`/loom cancel\` |
      | \`/loom take <stage>\` | Do a stage yourself: push to its branch, Loom checks it and goes on. | write | \`/loom take build-api\` |
      | \`/loom answer [stage] <text…>\` | Answer the question of a stage, or the planner's as a reply would (\`1b 2: use Redis\`, \`defaults\`); the lines below belong to the answer. | write | \`/loom answer build-api Use the existing table.\` |
      | \`/loom ask [--budget USD] [--harness NAME] <text…>\` | Have a question answered from the code, in this thread. | write | \`/loom ask Where are webhooks verified?\` |
      | \`/loom review [--budget USD] [--harness NAME] [text…]\` | Have the change, or the repository, reviewed by an agent that only reads. | write | \`/loom review\` |
      | \`/loom debug [--budget USD] [--harness NAME] [text…]\` | Have the cause of a bug looked for in the code. | write | \`/loom debug The tests hang on Windows.\` |
      | \`/loom security-audit [--budget USD] [--harness NAME] [text…]\` | Have the change, or the repository, looked at for weaknesses. | write | \`/loom security-audit\` |
      | \`/loom perf-check [--budget USD] [--harness NAME] [text…]\` | Have it looked at for what makes it slow. | write | \`/loom perf-check the import of large files\` |
      | \`/loom seo-audit [--budget USD] [--harness NAME] [text…]\` | Have its pages looked at for what search engines miss. | write | \`/loom seo-audit\` |
      | \`/loom a11y-audit [--budget USD] [--harness NAME] [text…]\` | Have its pages looked at for what keeps people out. | write | \`/loom a11y-audit\` |
      | \`/loom compliance-check [--budget USD] [--harness NAME] [text…]\` | Have it looked at for licences, privacy and rules. | write | \`/loom compliance-check\` |
      | \`/loom archive\` | Put a finished run away: its branches and labels are removed, its record stays. | write | \`/loom archive\` |
      | \`/loom help\` | Show these commands. | read | \`/loom help\` |

      \`orchestrate\` is another word for \`run\`, \`execute\` is another word for \`resume\`.

      One command per line, at the start of the line, at most 5 in a comment. Code, quotes and edited comments are not read."
    `);
    expect(await say("/LOOM help", "rae")).toMatchInlineSnapshot(`
      "### Loom's commands

      | Command | What it does | Needs | Example |
      |---|---|---|---|
      | \`/loom status\` | Say how far the run is and who has to act, or what agents are at here. | read | \`/loom status\` |
      | \`/loom help\` | Show these commands. | read | \`/loom help\` |

      Your role in this repository is \`read\`. These need more: \`run\`, \`plan\`, \`revise\`, \`approve\`, \`retry\`, \`skip\`, \`pause\`, \`resume\`, \`cancel\`, \`take\`, \`answer\`, \`ask\`, \`review\`, \`debug\`, \`security-audit\`, \`perf-check\`, \`seo-audit\`, \`a11y-audit\`, \`compliance-check\`, \`archive\`.

      \`orchestrate\` is another word for \`run\`, \`execute\` is another word for \`resume\`.

      One command per line, at the start of the line, at most 5 in a comment. Code, quotes and edited comments are not read."
    `);
  });

  it("sees a command at once and frowns at one it can't follow", async () => {
    const good = world.comment(issue, "/loom help");
    await replyTo(world, issue, good);
    expect(reactions(world, issue, good)).toEqual(["eyes"]);
    const bad = world.comment(issue, "/loom cancel");
    await replyTo(world, issue, bad);
    expect(reactions(world, issue, bad)).toEqual(["eyes", "confused"]);
  });

  it("says what was probably meant", async () => {
    const lines = [
      "/loom stauts",
      "/loom",
      "/loom frobnicate",
      "/loom stop",
      "/loom retry build everything",
      "/loom run --buget 20",
      "/loom run --budget lots",
      "/loom run ../../etc/passwd",
      "/loom approve yes",
      "/loom skip",
      "/loom answer",
      "> quoted\n/loom status",
    ];
    const said = await Promise.all(lines.map(async (line) => `${line}\n${await say(line)}`));
    expect(said.join("\n\n")).toMatchInlineSnapshot(`
      "/loom stauts
      Line 1: There is no command \`stauts\`. Did you mean \`/loom status\`? \`/loom help\` lists all commands.

      /loom
      Line 1: No command stands behind \`/loom\`. \`/loom help\` lists all commands.

      /loom frobnicate
      Line 1: There is no command \`frobnicate\`. \`/loom help\` lists all commands.

      /loom stop
      Line 1: There is no command \`stop\`. Did you mean \`/loom cancel\`? \`/loom help\` lists all commands.

      /loom retry build everything
      Line 1: \`retry\` can't use \`everything\`. Did you mean \`/loom retry build\`? \`/loom help\` lists all commands.

      /loom run --buget 20
      Line 1: \`run\` has no option \`--buget\`. Did you mean \`/loom run --budget …\`? \`/loom help\` lists all commands.

      /loom run --budget lots
      Line 1: \`lots\` is not an amount in US dollars above 0, such as \`20\` or \`7.50\`. It is written \`/loom run [path] [--budget USD] [--harness NAME] [--depth DEPTH] [--express] [text…]\`. \`/loom help\` lists all commands.

      /loom run ../../etc/passwd
      Line 1: The path \`../../etc/passwd\` leads out of the work tree. It is written \`/loom run [path] [--budget USD] [--harness NAME] [--depth DEPTH] [--express] [text…]\`. \`/loom help\` lists all commands.

      /loom approve yes
      Line 1: \`yes\` is not a commit: it takes 7 to 64 hexadecimal digits. It is written \`/loom approve [sha]\`. \`/loom help\` lists all commands.

      /loom skip
      Line 1: \`skip\` needs the name of a stage. It is written \`/loom skip <stage>\`. \`/loom help\` lists all commands.

      /loom answer
      Line 1: \`answer\` needs some words behind it. It is written \`/loom answer [stage] <text…>\`. \`/loom help\` lists all commands.

      > quoted
      /loom status
      Line 2: The command stands right below a quote, so it counts as a part of it. Leave an empty line between them. It is written \`/loom status\`. \`/loom help\` lists all commands."
    `);
  });

  it("answers several commands of one comment with one reply", async () => {
    const text = "Let's see.\n\n/loom status\n/loom stauts\n\n```\n/loom cancel\n```\n\n/loom help";
    const comment = world.comment(issue, text, "rae");
    const before = count();
    const reply = await replyTo(world, issue, comment);
    expect(reply.split("\n\n---\n\n").map((part) => part.split("\n")[0])).toMatchInlineSnapshot(`
      [
        "No run belongs to this thread. \`/loom run\` on an issue starts one; \`/loom help\` lists all commands.",
        "Line 4: There is no command \`stauts\`. Did you mean \`/loom status\`? \`/loom help\` lists all commands.",
        "### Loom's commands",
      ]
    `);
    await settled(world, 1);
    expect(count()).toBe(before + 1);
    expect(reactions(world, issue, comment)).toEqual(["eyes"]);
  });

  it("takes five commands from a comment and says how many it left", async () => {
    const reply = await say(
      "/loom help\n/loom help\n/loom help\n/loom help\n/loom help\n/loom help\n/loom help",
      "rae",
    );
    expect(reply.split("\n\n---\n\n").at(-1)).toMatchInlineSnapshot(
      `"2 more commands were not read: Loom takes 5 from one comment. Write the rest in another one."`,
    );
  });

  it("reads no commands in code, in quotes or in hidden comments", async () => {
    await expectSilence(() =>
      world.comment(
        issue,
        "```\n/loom run\n```\n\n    /loom run\n\n> /loom run\n\n<!--\n/loom run\n-->\n\nSay `/loom run`.",
      ),
    );
  });

  it("does nothing for an edited comment (T3)", async () => {
    const id = world.comment(issue, "Hello.");
    await expectSilence(() =>
      editComment(world.world, world.repository, id, { by: "wes", body: "/loom run docs/plan.md" }),
    );
    expect(await world.runs()).toEqual([]);
  });

  it("takes no orders from bots, nor from what it said itself (T2)", async () => {
    const { app } = registerApp(world.world, {
      name: "Helper",
      webhookUrl: null,
      permissions: {},
      events: [],
    });
    await expectSilence(() => world.comment(issue, "/loom run docs/plan.md", app.bot));
    await expectSilence(() =>
      addComment(world.world, world.repository, world.get(issue), {
        by: world.bot,
        body: "/loom run docs/plan.md",
        viaApp: world.credentials.app.id,
      }),
    );
    expect(await world.runs()).toEqual([]);
  });

  it("lets nobody start anything who may not write (T1)", async () => {
    const said = [];
    for (const login of ["sam", "rae", "tia"])
      said.push(`${login}: ${await say("/loom run docs/plan.md", login)}`);
    expect(said.join("\n")).toMatchInlineSnapshot(`
      "sam: \`run\` takes the role \`write\` or more in this repository; yours is \`read\`. Ask somebody who has it.
      rae: \`run\` takes the role \`write\` or more in this repository; yours is \`read\`. Ask somebody who has it.
      tia: \`run\` takes the role \`write\` or more in this repository; yours is \`triage\`. Ask somebody who has it."
    `);
    expect(await world.runs()).toEqual([]);
  });

  it("names a missing plan", async () => {
    expect(await say("/loom run docs/missing.md")).toMatchInlineSnapshot(
      `"There is no file \`docs/missing.md\` on the default branch. Name a plan by its path from the repository's root."`,
    );
  });

  it("lists everything that is wrong with a plan", async () => {
    expect(await say("/loom run docs/broken.md")).toMatchInlineSnapshot(`
      "The plan \`docs/broken.md\` can't be run: 3 errors, 2 warnings.

      - line 7, \`stages[0]\`, warning: Nothing proves the stage \`one\`. Add \`acceptance\`, such as a test command, or \`truths\`, \`artifacts\` or \`wiring\`.
      - line 11, \`stages[0].dependencies[0]\`: There is no stage \`tow\` to depend on. Did you mean \`two\`?
      - line 15, \`stages[1].acceptance[0]\`: \`acceptance\` must be a command, or a mapping with \`command\`. Write, for example, \`acceptance: [npm test]\`.
      - line 16, \`stages[2].id\`: \`Two!\` and \`two\` in line 12 both go by the id \`two\`. Give each stage an id of its own.
      - line 16, \`stages[2].id\`, warning: The stage \`Two!\` goes by the id \`two\`. Write \`two\` to say so yourself.

      Fix them and ask again."
    `);
    expect(await world.runs()).toEqual([]);
  });

  it("refuses a plan of too many stages, and agents that are not there", async () => {
    const big = world.issue({ body: planDocument(["a", "b", "c", "d"].map((id) => writesFile(id))) });
    expect(await ask(world, big, "/loom run")).toMatchInlineSnapshot(
      `"The plan has 4 stages; this repository allows 3. Split the issue, or raise \`limits.max_stages\` in \`.github/loom.yml\`."`,
    );
    expect(await say("/loom run docs/plan.md --express")).toMatchInlineSnapshot(
      `"\`--express\` is not allowed: it takes \`approval: { express: true }\` in \`.github/loom.yml\`, and a role that may approve plans. \`/loom run\` without it opens the plan for approval."`,
    );
    expect(await say("/loom run docs/plan.md --harness nonesuch")).toMatchInlineSnapshot(
      `"There is no agent called nonesuch. Known here: claude, codex, gemini, opencode, command, scripted. \`--harness NAME\` chooses one."`,
    );
    expect(await world.runs()).toEqual([]);
  });

  it("says that there is no run yet to whoever steers one", async () => {
    const lines = ["status", "approve", "retry", "skip one", "pause", "resume", "cancel", "take one"];
    for (const line of [...lines, "archive"])
      expect(await say(`/loom ${line}`)).toBe(
        "No run belongs to this thread. `/loom run` on an issue starts one; `/loom help` lists all commands.",
      );
    for (const words of ["one Yes.", "build", "1b,2a", "I'd take Postgres", "defaults"])
      expect(await say(`/loom answer ${words}`)).toBe("No question waits for an answer here.");
  });

  it("does not let new issues ask for runs unless the repository allows it", async () => {
    const asking = world.issue({ body: `/loom run\n\n${planDocument([writesFile("one")])}` });
    expect(await world.reply(asking)).toMatchInlineSnapshot(`
      "New issues don't start runs here. Comment \`/loom run\` to start one; \`auto_run: true\` in \`.github/loom.yml\` lets issues ask by themselves.

      <!-- loom:reply-issue-3 -->"
    `);
    expect(world.get(asking).reactions.map(({ content }) => content)).toEqual(["eyes", "confused"]);
    expect(await world.runs()).toEqual([]);
  });

  it("makes one run of two wishes at the same moment; the second gets a link (F25)", async () => {
    const twice = world.issue({ body: planDocument([writesFile("two")]) });
    const comments = [world.comment(twice, "/loom run", "wes"), world.comment(twice, "/loom run", "mia")];
    const texts = await Promise.all(comments.map((comment) => replyTo(world, twice, comment)));
    const [run, ...others] = (await world.runs()).filter((one) => one.origin?.issue === twice);
    expect(others).toEqual([]);
    expect(texts.every((text) => text.includes(`#${run?.offer?.pr}`))).toBe(true);
    expect(texts.toSorted()).toMatchInlineSnapshot(`
      [
        "A run is on its way: #5 (run \`RUN\`). \`/loom status\` says how far it is; \`/loom cancel\` ends it.",
        "The plan is open: #5 (run \`RUN\`). Nothing runs before somebody approves it there.",
      ]
    `);
    expect(world.pulls().filter(({ pull }) => pull?.headRef === `loom/${run?.id}.plan`)).toHaveLength(1);
  });

  it("plans a file of the default branch, and starts nothing", async () => {
    const { plan, run } = await offered(world, [], { command: "/loom plan docs/plan.md" });
    expect(plan.pull?.headRef).toMatch(/^loom\/docs-plan-[0-9a-f]{8}\.plan$/);
    // The same plan again is the same run, wherever it is asked for.
    expect(await say("/loom run docs/plan.md")).toMatchInlineSnapshot(
      `"A run is on its way: #7 (run \`RUN\`). \`/loom status\` says how far it is; \`/loom cancel\` ends it."`,
    );
    expect(await ask(world, plan.number, "/loom run")).toMatchInlineSnapshot(
      `"A run is on its way: #7 (run \`RUN\`). \`/loom status\` says how far it is; \`/loom cancel\` ends it."`,
    );
    await settled(world, 1);
    // Whether or not Loom has come to it by itself: a look at the run finds nothing to start.
    const engine = await world.engine();
    await advanceRun(engine, run.id);
    const { events } = await engine.store.load(run.id);
    const types = new Set(events.map(({ type }) => type));
    expect(types).toContain("plan-offered");
    expect([...types].filter((type) => /^(stage|attempt|session)-/.test(type))).toEqual([]);
  });

  it("guesses nobody's role when GitHub can't say, and answers once it can (T1)", async () => {
    await expect.poll(() => unsaid.fault.fired).toBeGreaterThan(2);
    expect(reactions(world, issue, unsaid.comment)).toEqual([]);
    expect((await world.runs()).filter((run) => run.origin?.by === "ada")).toEqual([]);
    unsaid.fault.remove();
    await world.loom.hosted.host.queue.enqueue({ kind: "sweep" });
    // By now somebody else has asked for the same.
    expect(await replyTo(world, issue, unsaid.comment)).toMatchInlineSnapshot(
      `"A run is on its way: #7 (run \`RUN\`). \`/loom status\` says how far it is; \`/loom cancel\` ends it."`,
    );
    expect(reactions(world, issue, unsaid.comment)).toEqual(["eyes", "confused"]);
  });
});
