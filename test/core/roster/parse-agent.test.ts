import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isReadOnly, TOOL_NAMES } from "../../../src/core/plan/agent-profile.ts";
import { capabilityOf, parseAgent } from "../../../src/core/roster/parse-agent.ts";

const FIELDS: Readonly<Record<string, string>> = {
  name: "welder",
  description: "Joins what belongs together.",
  tools: "[read, write]",
  capability: "read-write",
  temperature: "0.3",
  max_turns: "40",
  timeout_mins: "30",
};

function file(change: Readonly<Record<string, string | null>> = {}, body = "Weld it.\n"): string {
  const lines = Object.entries({ ...FIELDS, ...change }).flatMap(([key, value]) =>
    value === null ? [] : [`${key}: ${value}`],
  );
  return `---\n${lines.join("\n")}\n---\n\n${body}`;
}

function problemsOf(text: string, name = "welder.md"): string[] {
  const { profile, problems } = parseAgent(text, name);
  expect(profile === null).toBe(problems.length > 0);
  return problems.map(({ line, path, message, fix }) => `${line ?? "-"} ${path}: ${message} | ${fix}`);
}

describe("an agent's file", () => {
  it("becomes a profile", () => {
    expect(parseAgent(file({ skills: "[validation, validation]" }), "welder.md")).toEqual({
      profile: {
        name: "welder",
        description: "Joins what belongs together.",
        tools: ["read", "write"],
        capability: "read-write",
        temperature: 0.3,
        maxTurns: 40,
        timeoutMins: 30,
        skills: ["validation"],
        body: "Weld it.",
      },
      problems: [],
    });
  });

  it("may have Windows line ends, a byte order mark, and lines of dashes in its text", () => {
    const { profile } = parseAgent(
      `\uFEFF${file({}, "One\n\n---\n\nTwo\n").replaceAll("\n", "\r\n")}`,
      "welder.md",
    );
    expect(profile?.body).toBe("One\n\n---\n\nTwo");
  });

  it("loses what a reader would not see", () => {
    const { profile } = parseAgent(file({}, "Weld\u202e it\u001b[31m.\u200b\n"), "welder.md");
    expect(profile?.body).toBe("Weld it.");
  });

  it("is refused with all that is wrong with it", () => {
    const wrong = file({
      name: "Welder",
      tools: "[read, hammer]",
      capability: "mighty",
      temperature: "3",
      max_turns: "0",
      timeout_mins: "soon",
      skills: "[cooking]",
      temprature: "1",
      description: '""',
    });
    expect(problemsOf(wrong)).toMatchInlineSnapshot(`
      [
        "2 name: \`name\` must be a name of small letters, digits and dashes. | Write, for example, \`name: coder\`.",
        "3 description: \`description\` must not be empty. | Write, for example, \`description: Writes features in code that is there already.\`.",
        "4 tools[1]: \`tools\` must be one of read, search, write, shell, but is \`hammer\`. | Write, for example, \`tools: [read, search, write, shell]\`.",
        "5 capability: \`capability\` must be one of read-only, read-shell, read-write, full, but is \`mighty\`. | Write, for example, \`capability: full\`.",
        "6 temperature: \`temperature\` must be at most 2, but is \`3\`. | Write, for example, \`temperature: 0.2\`.",
        "7 max_turns: \`max_turns\` must be at least 1, but is \`0\`. | Write, for example, \`max_turns: 200\`.",
        "8 timeout_mins: \`timeout_mins\` must be a whole number, but is \`soon\`. | Write, for example, \`timeout_mins: 240\`.",
        "9 skills[0]: \`skills\` must be one of code-review, delegation, design-dialogue, execution, implementation-planning, session-management, validation, but is \`cooking\`. | Write, for example, \`skills: [validation]\`.",
        "10 temprature: There is no field \`temprature\`. | Did you mean \`temperature\`?",
      ]
    `);
  });

  it("is refused when its tools say something else than its capability, or its file than its name", () => {
    expect(problemsOf(file({ tools: "[read, shell]" }), "smith.md")).toMatchInlineSnapshot(`
      [
        "2 name: The agent is called \`welder\`, but its file smith.md. | Give both the same name.",
        "5 capability: With these tools the agent is \`read-shell\`, not \`read-write\`. | Write \`capability: read-shell\`, or name other tools.",
      ]
    `);
  });

  it("is refused when it is no such file at all", () => {
    const texts = [
      "",
      "Weld it.",
      "---\nname: welder\n",
      "---\n---\nWeld it.\n",
      "---\n- name\n---\nWeld it.\n",
      "---\nname: [\n---\nWeld it.\n",
      "---\nname: a\nname: b\n---\nWeld it.\n",
      file({}, " \n"),
      file({}, "x".repeat(13_000)),
    ];
    expect(texts.map((text) => problemsOf(text)[0])).toMatchInlineSnapshot(`
      [
        "1 : The file has to open with a line \`---\`. | Write fields such as \`name: coder\` below it.",
        "1 : The file has to open with a line \`---\`. | Write fields such as \`name: coder\` below it.",
        "1 : The block that opens with \`---\` is never closed. | Close it with a line \`---\`.",
        "2 name: \`name\` is missing. | Write, for example, \`name: coder\`.",
        "2 : The block must be a mapping, but is a list. | Write, for example, \`name: coder\`.",
        "3 : The YAML can't be used here: flow sequence in block collection must be sufficiently indented and end with a ]. | Indent it like its neighbours, with spaces; close every bracket.",
        "3 : The YAML can't be used here: \`name\` is given twice. | Keep one of them.",
        "- : There is no text below the fields. | Write it below the second \`---\`.",
        "- : The file has 13156 characters; 12000 are the most. | Shorten it.",
      ]
    `);
  });

  it("is told of every field that it lacks", () => {
    expect(problemsOf("---\nname: welder\n---\nWeld it.\n")).toMatchInlineSnapshot(`
      [
        "2 description: \`description\` is missing. | Write, for example, \`description: Writes features in code that is there already.\`.",
        "2 tools: \`tools\` is missing. | Write, for example, \`tools: [read, search, write, shell]\`.",
        "2 capability: \`capability\` is missing. | Write, for example, \`capability: full\`.",
        "2 temperature: \`temperature\` is missing. | Write, for example, \`temperature: 0.2\`.",
        "2 max_turns: \`max_turns\` is missing. | Write, for example, \`max_turns: 200\`.",
        "2 timeout_mins: \`timeout_mins\` is missing. | Write, for example, \`timeout_mins: 240\`.",
      ]
    `);
  });

  it("is read without a throw, whatever it holds", () => {
    const line = fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.constantFrom(
        "---",
        "name: welder",
        "tools: [read]",
        "skills: &a [*a]",
        "- x",
        "temperature: .inf",
        "__proto__: 1",
      ),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), fc.string({ maxLength: 20 }), (lines, name) => {
        const { profile, problems } = parseAgent(["---", ...lines].join("\n"), name);
        expect(profile === null).toBe(problems.length > 0);
      }),
    );
  });

  it("is itself again when it is written out", () => {
    const anyAgent = fc.record({
      name: fc
        .stringMatching(/^[a-z][a-z0-9-]{0,20}$/)
        .filter((name) => !/^(?:con|prn|aux|nul|com\d|lpt\d)$/.test(name)),
      description: fc
        .stringMatching(/^[a-zA-Z][\w ,.:#'"-]{0,200}[a-z]$/)
        .map((text) => text.replace(/\s+/g, " ")),
      tools: fc.subarray([...TOOL_NAMES], { minLength: 1 }),
      temperature: fc.integer({ min: 0, max: 20 }).map((tenths) => tenths / 10),
      maxTurns: fc.integer({ min: 1, max: 10_000 }),
      timeoutMins: fc.integer({ min: 1, max: 10_080 }),
    });
    fc.assert(
      fc.property(anyAgent, (agent) => {
        const capability = capabilityOf(agent.tools);
        const text = file({
          name: agent.name,
          description: JSON.stringify(agent.description),
          tools: `[${agent.tools.join(", ")}]`,
          capability,
          temperature: String(agent.temperature),
          max_turns: String(agent.maxTurns),
          timeout_mins: String(agent.timeoutMins),
        });
        expect(parseAgent(text, `${agent.name}.md`)).toEqual({
          profile: { ...agent, capability, skills: [], body: "Weld it." },
          problems: [],
        });
      }),
    );
  });
});

it("can write when it has the tool for it, and with the shell alone it can't", () => {
  expect(
    [["read"], ["read", "search"], ["search", "shell"], ["write"], ["read", "write", "shell"]].map(
      (tools) => {
        const capability = capabilityOf(TOOL_NAMES.filter((tool) => tools.includes(tool)));
        return `${capability}${isReadOnly({ capability }) ? ", reads" : ", writes"}`;
      },
    ),
  ).toEqual([
    "read-only, reads",
    "read-only, reads",
    "read-shell, reads",
    "read-write, writes",
    "full, writes",
  ]);
});
