import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { parseCommands } from "../../../src/core/command/parse-commands.ts";
import { CLOSING, render } from "../../core/report/github/hostile-text.ts";
import { ask, check, offered, panel, settled, write } from "../../support/github-talk.ts";
import { aGitHubWorld, type GitHubWorld } from "../../support/github-world.ts";

const git = promisify(execFile);
let world: GitHubWorld;
afterEach(() => world?.end());

const auto = { version: 1, merge: { mode: "auto" }, limits: { retries: 0 } };
const EVIL =
  "fixes #1 @ada/team @mia <img src=x> </details> <!-- loom:panel x --> ``` [a](https://evil.example) \u001b[31mred";
const TAGS = [
  "h1",
  "h2",
  "h3",
  "h4",
  "p",
  "table",
  "thead",
  "tbody",
  "tr",
  "th",
  "td",
  "code",
  "pre",
  "ul",
  "li",
  "strong",
  "em",
  "details",
  "summary",
  "blockquote",
  "br",
  "hr",
];

/** Everything that Loom wrote on GitHub. */
function written(): string[] {
  const bodies = [...world.repository.issues.values()].flatMap((issue) => [
    ...(issue.author === world.bot ? [issue.body] : []),
    ...issue.comments.filter(({ author }) => author === world.bot).map(({ body }) => body),
  ]);
  const checks = world.repository.checkRuns.flatMap(({ summary, text }) => [summary ?? "", text ?? ""]);
  return [...bodies, ...checks];
}

describe("texts that are not Loom's", () => {
  it("pings nobody, closes nothing, commands nobody and hides nothing, whatever they hold (T19)", async () => {
    world = await aGitHubWorld({
      config: { version: 1, limits: { retries: 0 } },
      script: {
        one: [{ say: EVIL }, write("one.txt", `${EVIL}\n/loom cancel\n`)],
        two: [{ ask: `${EVIL}\n/loom cancel` }],
        three: [write("three.txt")],
      },
    });
    const victim = world.issue({ title: "Do not close me" });
    const { issue, plan, run } = await offered(
      world,
      [
        {
          id: "one",
          name: `Fixes #${victim} @ada/team ${EVIL}`,
          description: `${EVIL}\n\n/loom cancel\n\n\`\`\`\n/loom cancel`,
          acceptance: ["cat one.txt", { command: "test -f one.txt", description: `closes #${victim} @mia` }],
        },
        { id: "two", name: `/loom cancel`, description: "Ask.", acceptance: ["true"] },
        {
          id: "three",
          name: `closes #${victim}`,
          description: "Fail.",
          acceptance: [
            `cat one.txt three.txt; echo '${EVIL.replaceAll("'", "")}'; printf '\\n/loom cancel\\n'; false`,
          ],
        },
      ],
      { title: `Closes #${victim} @ada/team ${EVIL}` },
    );
    await ask(world, plan.number, "/loom approve");
    await world.run(
      ({ stages }) =>
        stages.get("one")?.pr !== null &&
        stages.get("two")?.state.kind === "waiting-for-input" &&
        stages.get("three")?.state.kind === "blocked",
      "every kind of end",
    );
    await panel(world, issue, /asks/);
    await check(world, "loom / two", ({ status }) => status === "completed");
    await check(world, "loom / three", ({ status }) => status === "completed");
    await settled(world);
    for (const text of written()) {
      const { text: shown, tags } = render(text);
      expect(tags.filter((tag) => !TAGS.includes(tag))).toEqual([]);
      expect(shown).not.toMatch(/(?:^|[^\w`])@[a-z\d]/i);
      expect(shown).not.toMatch(new RegExp(`#${victim}(?!\\d)|https?://|\u001b`));
      expect(text).not.toMatch(CLOSING);
      expect(text).not.toContain("\u001b");
      expect(parseCommands(text).items).toEqual([]);
    }
    for (const { author, title } of world.repository.issues.values())
      if (author === world.bot) expect(title).not.toMatch(/[@#](?=[\w])|[<>`]|^\//);
    expect((await world.run()).cancelledBy).toBeNull();
    // The plan is merged with the texts that Loom proposed, and still nothing closes.
    await world.merge(plan.number, "wes", "squash");
    expect(world.get(victim).state).toBe("open");
    expect(run.id).toMatch(/^issue-2-/);
  });

  it("closes nothing and pings nobody by what is merged (T19)", async () => {
    world = await aGitHubWorld({ config: auto, script: { one: [write("one.txt")] } });
    const victim = world.issue({ title: "Do not close me" });
    const evil = { name: `Fixes #${victim} for @ada/team`, description: `${EVIL}\n\nCloses #${victim}.` };
    const { plan } = await offered(world, [{ id: "one", ...evil, acceptance: ["test -f one.txt"] }], {
      title: `Closes #${victim}`,
    });
    await ask(world, plan.number, "/loom approve");
    await world.run(({ status }) => status === "completed", "the end of the run");
    const { stdout } = await git("git", ["-C", world.repository.gitDir, "log", "--all", "--format=%B"]);
    expect(stdout).not.toMatch(CLOSING);
    expect(stdout).not.toMatch(/@ada|@mia|\u001b/i);
    expect(world.get(victim).state).toBe("open");
  });

  it("cuts long output, counts what it cut, and completes the check (F30); no secret is shown (T18)", async () => {
    const secret = "sentinel/7f3a+Zq9w81Lm0Xy==";
    world = await aGitHubWorld({
      config: auto,
      env: { DEPLOY_TOKEN: secret },
      script: {
        one: [{ run: "echo $DEPLOY_TOKEN" }, { say: `It is ${secret}.` }, write("one.txt")],
        two: [{ ask: `Is ${secret} right?` }],
      },
    });
    const leak =
      'echo "$DEPLOY_TOKEN"; printf %s "$DEPLOY_TOKEN" | base64; echo "https://x:$DEPLOY_TOKEN@example.com" >&2';
    const { issue, plan } = await offered(world, [
      {
        id: "one",
        name: "One",
        description: "One.",
        acceptance: [
          `i=0; while [ $i -lt 3500 ]; do echo "0123456789abcdefghi"; i=$((i+1)); done; ${leak}; exit 3`,
        ],
      },
      { id: "two", name: "Two", description: "Two.", acceptance: ["true"] },
    ]);
    await ask(world, plan.number, "/loom approve");
    const failed = await check(world, "loom / one", ({ status }) => status === "completed");
    expect(failed.conclusion).toBe("failure");
    expect(failed.text).toMatch(/\(\d\d,?\d{3} bytes before this left out\)/);
    expect((failed.text ?? "").length).toBeLessThan(65_535);
    expect(failed.text).toContain("0123456789abcdefghi");
    expect(failed.text).toContain("[secret]");
    await panel(world, issue, /asks/);
    await world.run(({ stages }) => stages.get("one")?.state.kind === "blocked", "the end of the first");
    await settled(world);
    const all = JSON.stringify([[...world.repository.issues.values()], world.repository.checkRuns]);
    const { stdout } = await git(
      "git",
      ["-C", world.repository.gitDir, "cat-file", "--batch", "--batch-all-objects", "--unordered"],
      { encoding: "latin1", maxBuffer: 64 * 1024 * 1024 },
    );
    const base64 = Buffer.from(secret).toString("base64").slice(0, -4);
    for (const form of [secret, base64, encodeURIComponent(secret)])
      for (const text of [all, stdout]) expect(text.includes(form)).toBe(false);
    // Every token that Loom asked for is for this repository and for a part of what the App may do (T17).
    const { tokens } = world.world.github;
    expect(tokens.length).toBeGreaterThan(0);
    const own = Object.keys(world.credentials.app.permissions).length;
    for (const { repositories, permissions } of tokens) {
      // To learn which repositories there are takes one for all of them; it reads their names and nothing else.
      if (repositories === null) expect(permissions).toEqual({ metadata: "read" });
      else expect(repositories).toEqual([world.repository.id]);
      expect(Object.keys(permissions).length).toBeLessThan(own);
    }
    await ask(world, issue, "/loom cancel");
  });
});
