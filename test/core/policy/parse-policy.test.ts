import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { withExcluded } from "../../../src/core/policy/excluded-commands.ts";
import { createJudge } from "../../../src/core/policy/judge-command.ts";
import { parsePolicy } from "../../../src/core/policy/parse-policy.ts";
import { policyOf, shippedPolicy } from "./shipped-policy.ts";

function problemsOf(text: string | Uint8Array): string[] {
  const { policy, problems } = parsePolicy(text);
  expect(policy).toBeNull();
  return problems.map(({ line, path, message, fix }) => `${line ?? "-"} [${path}] ${message} ${fix}`);
}

describe("a rule file", () => {
  it("that Loom ships has no problems and names each decision once", () => {
    const { otherwise, rules } = shippedPolicy();
    expect({
      otherwise,
      rules: rules.map(({ id, decision }) => `${decision} ${id}`),
    }).toMatchInlineSnapshot(`
      {
        "otherwise": "allow",
        "rules": [
          "deny forced-deletion",
          "deny deletion-of-everything",
          "deny discarded-changes",
          "deny shared-stash",
          "deny commits",
          "deny history",
          "deny publishing",
          "deny here-documents",
          "ask output-to-file",
          "deny disks",
          "deny writing-to-disks",
          "deny machine-power",
          "deny rights-of-everything",
        ],
      }
    `);
  });

  it("is read into patterns whose flags are in one form", () => {
    const { rules } = policyOf(`
version: 1
otherwise: deny
rules:
  - id: one
    decision: deny
    reason: Because.
    commands: [rm --recursive -f, "git branch -D", mkfs.*]
    arguments: ["of=/dev/*"]
  - { id: two, decision: ask, reason: Because., redirection: to-file }
  - { id: three, decision: allow, reason: Because., here_document: true }
`);
    expect(rules.map(({ matcher }) => matcher)).toMatchInlineSnapshot(`
      [
        {
          "arguments": [
            "of=/dev/*",
          ],
          "commands": [
            {
              "flags": [
                "r",
                "f",
              ],
              "program": "rm",
              "words": [],
              "written": "rm --recursive -f",
            },
            {
              "flags": [
                "d",
                "f",
              ],
              "program": "git",
              "words": [
                "branch",
              ],
              "written": "git branch -D",
            },
            {
              "flags": [],
              "program": "mkfs.*",
              "words": [],
              "written": "mkfs.*",
            },
          ],
          "kind": "commands",
        },
        {
          "kind": "output-to-file",
        },
        {
          "kind": "here-document",
        },
      ]
    `);
  });

  it("is told all that is wrong with it at once", () => {
    expect(
      problemsOf(`version: 2
otherwise: maybe
colour: red
rules:
  - id: No Name
    decision: forbid
    reason: ""
    commands: ["rm -rf; ls", "/bin/rm", "-rf", 7]
  - id: twice
    decision: deny
    reason: Because.
    command: [git push]
  - id: twice
    decision: deny
    reason: Because.
    commands: []
    redirection: from-file
  - id: third
    decision: ask
    here_document: no
  - just a text
`),
    ).toMatchInlineSnapshot(`
      [
        "1 [version] \`version\` must be 1, but is \`2\`. Write, for example, \`version: 1\`.",
        "2 [otherwise] \`otherwise\` must be \`deny\`, \`ask\` or \`allow\`, but is \`maybe\`. Write, for example, \`otherwise: allow\`.",
        "3 [colour] Loom does not know \`colour\`. Remove it. Known here: \`version\`, \`otherwise\`, \`rules\`.",
        "5 [rules[0].id] \`id\` must be a name of small letters, digits and dashes. Write, for example, \`id: no-push\`.",
        "6 [rules[0].decision] \`decision\` must be \`deny\`, \`ask\` or \`allow\`, but is \`forbid\`. Write, for example, \`decision: deny\`.",
        "7 [rules[0].reason] \`reason\` must not be empty. Write, for example, \`reason: Loom pushes when the stage is verified.\`.",
        "8 [rules[0].commands[0]] \`commands\` must be words and flags, without quotes and operators. Write, for example, \`commands: ["git push", "rm -rf"]\`.",
        "8 [rules[0].commands[1]] \`commands\` must begin with the name of a program, without its folder. Write, for example, \`commands: ["git push", "rm -rf"]\`.",
        "8 [rules[0].commands[2]] \`commands\` must begin with the name of a program, without its folder. Write, for example, \`commands: ["git push", "rm -rf"]\`.",
        "8 [rules[0].commands[3]] \`commands\` must be a text, but is \`7\`. Write, for example, \`commands: ["git push", "rm -rf"]\`.",
        "9 [rules[1]] The rule does not say what it is about. Add \`commands: ["git push"]\`, \`arguments\`, \`redirection: to-file\` or \`here_document: true\`.",
        "12 [rules[1].command] Loom does not know \`rules[1].command\`. Did you mean \`commands\`?",
        "13 [rules[2]] The rule is about \`commands\` and \`redirection\` at once. Make a rule of its own for each; only \`commands\` and \`arguments\` go together.",
        "13 [rules[2].id] \`twice\` is the id of another rule already (line 9). Give each rule an id of its own.",
        "16 [rules[2].commands] \`commands\` must have an item at least. Write, for example, \`commands: ["git push", "rm -rf"]\`.",
        "17 [rules[2].redirection] \`redirection\` must be \`to-file\`, but is \`from-file\`. Write, for example, \`redirection: to-file\`.",
        "18 [rules[3].reason] \`reason\` is missing. Write, for example, \`reason: Loom pushes when the stage is verified.\`.",
        "20 [rules[3].here_document] \`here_document\` must be true, but is \`no\`. Write, for example, \`here_document: true\`.",
        "21 [rules[4]] A rule must be a mapping that begins with \`id:\`, but is \`just a text\`. Write, for example, \`id: no-push\`.",
      ]
    `);
  });

  it.each<[string, string]>([
    ["empty", ""],
    ["a list", "- id: x"],
    ["rules outside of their list", "version: 1\notherwise: allow\nrules: []\ncommands: [git push]\n"],
    ["no YAML", "version: 1\n  rules: ["],
    ["without rules", "version: 1\notherwise: allow"],
  ])("says what to write when it is %s", (_, text) => {
    expect(problemsOf(text).length).toBeGreaterThan(0);
  });

  it("is refused when it is huge or no text", () => {
    expect([
      ...problemsOf("#".repeat(300_000)),
      ...problemsOf(Uint8Array.of(0xff, 0xfe)),
    ]).toMatchInlineSnapshot(`
      [
        "- [] The file is larger than 256 KB. Join rules that decide the same.",
        "1 [] The file is UTF-16, not UTF-8. Save the file as UTF-8.",
      ]
    `);
  });

  it("never throws, whatever it holds", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.jsonValue().map((value) => stringify(value)),
        ),
        (text) => {
          parsePolicy(text);
          parsePolicy(`version: 1\notherwise: allow\nrules:\n  - ${text}`);
        },
      ),
    );
  });
});

describe("what a plan excludes", () => {
  it("is denied besides the rules", () => {
    const judge = createJudge(withExcluded(shippedPolicy(), ["npm publish", "curl", "  "]), []);
    const kinds = ["npm publish --tag x", "npm test", "sudo curl x", "git push", "ls"].map(
      (command) => judge({ tool: "x", command }).kind,
    );
    expect(kinds).toEqual(["deny", "allow", "deny", "deny", "allow"]);
    expect(judge({ tool: "x", command: "npm publish" })).toMatchInlineSnapshot(`
      {
        "kind": "deny",
        "reason": "Loom did not run \`npm publish\`. The plan excludes this command. Do the stage without it.",
      }
    `);
  });

  it("changes nothing when it is nothing", () => {
    const policy = shippedPolicy();
    expect(withExcluded(policy, [])).toBe(policy);
  });
});
