import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { COMMANDS, mayUse, VERBS } from "../../../src/core/command/commands.ts";
import { parseCommands } from "../../../src/core/command/parse-commands.ts";
import { renderHelp } from "../../../src/core/command/render-help.ts";
import { ROLES, readRole } from "../../../src/core/command/role.ts";

describe("the table of commands", () => {
  it.each(VERBS)("has an example for %s that its parser reads", (verb) => {
    const { commands, mistakes } = parseCommands(COMMANDS[verb].example);
    expect(mistakes).toEqual([]);
    expect(commands.map((command) => command.verb)).toEqual([verb]);
  });

  it.each(VERBS)("tells in the usage of %s what the parser takes", (verb) => {
    const { usage, positionals, options } = COMMANDS[verb];
    expect(usage.startsWith(`/loom ${verb}`)).toBe(true);
    for (const { name } of options) expect(usage).toContain(`--${name}`);
    for (const { name, required } of positionals) {
      expect(usage).toMatch(required ? `<${name}` : `[${name}`);
    }
  });
});

describe("permission", () => {
  it("lets readers look and writers act", () => {
    const allowed = (role: string): string[] => VERBS.filter((verb) => mayUse(verb, role));
    expect(allowed("none")).toEqual([]);
    expect(allowed("read")).toEqual(["status", "help"]);
    expect(allowed("triage")).toEqual(["status", "help"]);
    for (const role of ["write", "maintain", "admin"]) expect(allowed(role)).toEqual(VERBS);
  });

  it("takes a read command as well as its verb", () => {
    expect(mayUse({ verb: "skip", stage: "docs" }, "write")).toBe(true);
    expect(mayUse({ verb: "skip", stage: "docs" }, "read")).toBe(false);
  });

  it("fails closed on roles that it does not know", () => {
    for (const role of ["security-lead", "Admin", "", "constructor", "__proto__", null]) {
      expect(VERBS.filter((verb) => mayUse(verb, role))).toEqual([]);
    }
    fc.assert(
      fc.property(fc.string(), (name) => {
        fc.pre(!ROLES.some((role) => role === name));
        expect(readRole(name)).toBe("none");
      }),
    );
  });
});

describe("help", () => {
  it("shows every command to those who may use them", () => {
    expect(renderHelp("write")).toMatchInlineSnapshot(`
      "### Loom's commands

      | Command | What it does | Needs | Example |
      |---|---|---|---|
      | \`/loom run [path] [--budget USD] [--harness NAME] [--depth DEPTH] [--express] [text…]\` | Plan this issue, or take the plan at \`path\`, and build it once the plan is approved. Words behind it or in the lines around it are for the planner. The depth of the design is \`quick\`, \`standard\` or \`deep\`; \`--express\` asks no questions. | write | \`/loom run --budget 20\` |
      | \`/loom plan [path] [--depth DEPTH] [text…]\` | Open the plan of this issue, or the one at \`path\`, to be read; approving it builds it. | write | \`/loom plan --depth deep\` |
      | \`/loom revise <text…>\` | Have the plan changed as you say; it has to be approved again, and finished stages stay. | write | \`/loom revise Keep the old endpoint and add a second one.\` |
      | \`/loom approve [sha]\` | Approve the plan as it stands, or only if its head is \`sha\`. | write | \`/loom approve 1a2b3c4\` |
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

      One command per line, at the start of the line, at most 5 in a comment. Code, quotes and edited comments are not read.
      "
    `);
  });

  it("tells others what their role lacks", () => {
    expect(renderHelp("read")).toMatchInlineSnapshot(`
      "### Loom's commands

      | Command | What it does | Needs | Example |
      |---|---|---|---|
      | \`/loom status\` | Say how far the run is and who has to act, or what agents are at here. | read | \`/loom status\` |
      | \`/loom help\` | Show these commands. | read | \`/loom help\` |

      Your role in this repository is \`read\`. These need more: \`run\`, \`plan\`, \`revise\`, \`approve\`, \`retry\`, \`skip\`, \`pause\`, \`resume\`, \`cancel\`, \`take\`, \`answer\`, \`ask\`, \`review\`, \`debug\`, \`security-audit\`, \`perf-check\`, \`seo-audit\`, \`a11y-audit\`, \`compliance-check\`, \`archive\`.

      \`orchestrate\` is another word for \`run\`, \`execute\` is another word for \`resume\`.

      One command per line, at the start of the line, at most 5 in a comment. Code, quotes and edited comments are not read.
      "
    `);
    expect(renderHelp("none")).toMatchInlineSnapshot(`
      "### Loom's commands

      Your role in this repository is \`none\`. These need more: \`run\`, \`plan\`, \`revise\`, \`approve\`, \`status\`, \`retry\`, \`skip\`, \`pause\`, \`resume\`, \`cancel\`, \`take\`, \`answer\`, \`ask\`, \`review\`, \`debug\`, \`security-audit\`, \`perf-check\`, \`seo-audit\`, \`a11y-audit\`, \`compliance-check\`, \`archive\`, \`help\`.

      \`orchestrate\` is another word for \`run\`, \`execute\` is another word for \`resume\`.

      One command per line, at the start of the line, at most 5 in a comment. Code, quotes and edited comments are not read.
      "
    `);
  });

  it("never commands", () => {
    for (const role of ROLES) expect(parseCommands(renderHelp(role)).items).toEqual([]);
  });
});
