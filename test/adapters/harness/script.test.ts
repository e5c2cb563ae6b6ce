import { describe, expect, it } from "vitest";
import { parseScript } from "../../../src/adapters/harness/script.ts";
import { chooseSteps } from "../../../src/adapters/harness/scripted.ts";
import type { ToolAccess } from "../../../src/ports/harness.ts";
import { quickly } from "../../support/quickly.ts";

const SCRIPT = `
stages:
  api:
    attempts:
      - - say: tries
        - fail: 1
      - - say: fixes
    conflict:
      - say: settles
  web:
    - write: { path: web.txt, text: hello }
tasks:
  begin:
    - answer: I begin.
  draft:
    attempts:
      - - answer: first draft
      - - answer: second draft
`;

const ALL = { prompt: "# Signal\n", tools: "all" } as const;

function parse(text: string) {
  const reading = parseScript(text);
  if (reading.kind === "malformed") throw new Error(JSON.stringify(reading.problems));
  return reading.script;
}

function problems(text: string): string[] {
  const reading = parseScript(text);
  if (reading.kind === "read") return [];
  return reading.problems.map(({ line, path, message, fix }) => `${line} ${path}: ${message}. ${fix}`);
}

describe("a script", () => {
  it("may be YAML or JSON", () => {
    expect(parse(SCRIPT).stages.web?.attempts).toEqual([[{ write: { path: "web.txt", text: "hello" } }]]);
    expect(parse('{"stages":{"a":[{"stall":true},{"remove":"x"}]}}').stages.a?.attempts).toEqual([
      [{ stall: true }, { remove: "x" }],
    ]);
  });

  it("gives each attempt its steps, and the last ones to all that follow", () => {
    const script = parse(SCRIPT);
    const say = (attempt: number) => chooseSteps(script, { ...ALL, stage: "api", attempt })[0];
    expect(say(1)).toEqual({ say: "tries" });
    expect(say(2)).toEqual({ say: "fixes" });
    expect(say(9)).toEqual({ say: "fixes" });
  });

  it("has steps of its own for a merge conflict", () => {
    const prompt = "# Merge Conflict Signal: two stages changed the same lines\n";
    expect(chooseSteps(parse(SCRIPT), { ...ALL, stage: "api", attempt: 1, prompt })).toEqual([
      { say: "settles" },
    ]);
  });

  it("fails with a sentence where it has no steps", () => {
    const script = parse(SCRIPT);
    expect(chooseSteps(script, { ...ALL, stage: "constructor", attempt: 1 })).toEqual([
      { say: "The script has no steps for the stage or task constructor." },
      { fail: 1 },
    ]);
    expect(
      chooseSteps(script, { ...ALL, stage: "web", attempt: 1, prompt: "# Merge Conflict Signal: x" }),
    ).toEqual([{ say: "The script has no `conflict:` steps for the stage web." }, { fail: 1 }]);
  });

  it("gives a task the steps of its purpose, session by session", () => {
    const script = parse(SCRIPT);
    const answer = (stage: string, attempt: number) =>
      chooseSteps(script, { ...ALL, tools: "read", stage, attempt })[0]?.answer;
    expect([answer("begin", 1), answer("begin", 2)]).toEqual(["I begin.", "I begin."]);
    expect([answer("draft", 1), answer("draft", 2), answer("draft", 3)]).toEqual([
      "first draft",
      "second draft",
      "second draft",
    ]);
    expect(chooseSteps(script, { ...ALL, tools: "read", stage: "audit", attempt: 1 })).toEqual([
      { say: "The script has no steps for the stage or task audit." },
      { fail: 1 },
    ]);
  });

  it("tells a task from a stage of the same name by what the agent may use", () => {
    const script = parse("{stages: {audit: [say: a stage]}, tasks: {audit: [say: a task]}}");
    const said = (tools: ToolAccess) => chooseSteps(script, { ...ALL, tools, stage: "audit", attempt: 1 })[0];
    expect([said("all"), said("edit")]).toEqual([{ say: "a stage" }, { say: "a stage" }]);
    expect([said("shell"), said("read")]).toEqual([{ say: "a task" }, { say: "a task" }]);
    const alone = parse("stages: {audit: [say: a stage]}");
    expect(chooseSteps(alone, { ...ALL, tools: "read", stage: "audit", attempt: 1 })).toEqual([
      { say: "a stage" },
    ]);
  });

  it("may be about tasks alone", () => {
    expect(parse("tasks: {answer: [{answer: Yes.}]}")).toEqual({
      stages: {},
      tasks: { answer: { attempts: [[{ answer: "Yes." }]] } },
    });
    expect(parse("stages: {}")).toEqual({ stages: {}, tasks: {} });
  });

  it("is refused when a task is none", () => {
    expect(
      problems(`
tasks:
  think:
    - say: x
  begin: 7
  draft:
    - answer: " "
    - sing: la
  audit:
    attempts: []
    conflict: []
`),
    ).toMatchInlineSnapshot(`
      [
        "5 tasks.begin: expected object, received number. Give the purpose a list of steps, or \`attempts:\`.",
        "7 tasks.draft[0].answer: is empty. Write what the agent answers.",
        "8 tasks.draft[1]: does not know sing. Steps are: say, answer, write, append, replace, remove, run, usage, ask, wait_ms, fail, stall.",
        "10 tasks.audit.attempts: Too small: expected array to have >=1 items. Correct this value.",
        "10 tasks.audit: does not know conflict. Give the purpose a list of steps, or \`attempts:\`.",
        "3 tasks: does not know think. Purposes are: begin, design, draft, redraft, answer, audit.",
      ]
    `);
  });

  it("is refused with every problem, its line and its fixing", () => {
    expect(
      problems(`
stages:
  a:
    - sing: la
    - say: 7
    - { say: x, ask: y }
    - write: { path: ../out, text: x }
    - remove: /etc/passwd
  b:
    attempts:
      - say: flat
  c: nothing
`),
    ).toMatchInlineSnapshot(`
      [
        "4 stages.a[0]: does not know sing. Steps are: say, answer, write, append, replace, remove, run, usage, ask, wait_ms, fail, stall.",
        "5 stages.a[1].say: expected string, received number. Write a string here.",
        "6 stages.a[2]: is not exactly one step. Give each step one of these keys: say, answer, write, append, replace, remove, run, usage, ask, wait_ms, fail, stall.",
        "7 stages.a[3].write.path: leads out of the work tree. Write a path that starts at the root of the work tree, such as src/main.js.",
        "8 stages.a[4].remove: leads out of the work tree. Write a path that starts at the root of the work tree, such as src/main.js.",
        "11 stages.b.attempts[0]: expected array, received object. Make each attempt a list of steps.",
        "12 stages.c: expected object, received string. Give the stage a list of steps, or \`attempts:\` and \`conflict:\`.",
      ]
    `);
  });

  it("is refused when it is no script at all", () => {
    expect(problems("")).toMatchInlineSnapshot(`
      [
        "null : expected object, received null. Begin with \`stages:\` and put the id of each stage below it, or with \`tasks:\` and a purpose.",
      ]
    `);
    expect(problems("stages: [")).toMatchInlineSnapshot(`
      [
        "1 : Flow sequence in block collection must be sufficiently indented and end with a ]. Fix the YAML at this line.",
      ]
    `);
    expect(problems("steps: []")).toMatchInlineSnapshot(`
      [
        "1 : does not know steps. Begin with \`stages:\` and put the id of each stage below it, or with \`tasks:\` and a purpose.",
      ]
    `);
    const bomb = [
      "a: &a [x,x,x,x,x,x,x,x,x]",
      "b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]",
      "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]",
      "stages: [*c,*c,*c,*c,*c,*c]",
    ];
    expect(problems(bomb.join("\n"))).toMatchInlineSnapshot(`
      [
        "null : Excessive alias count indicates a resource exhaustion attack. Write the script without aliases.",
      ]
    `);
  });

  it.each(["[", '"', "a: [", "? ", "{a: "])("is refused at once when it is nothing but %j", (piece) => {
    const text = piece.repeat(Math.floor(200_000 / piece.length));
    const reading = quickly(3_000, () => parseScript(text));
    expect(reading.kind).toBe("malformed");
  });

  it("is refused where a name stands twice", () => {
    expect(problems("stages: {}\nstages: {}\n")).toMatchInlineSnapshot(`
      [
        "2 : \`stages\` is given twice. Fix the YAML at this line.",
      ]
    `);
  });
});
