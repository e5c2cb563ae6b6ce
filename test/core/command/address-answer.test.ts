import { describe, expect, it } from "vitest";
import { type Askers, addressAnswer } from "../../../src/core/command/address-answer.ts";
import { parseCommands } from "../../../src/core/command/parse-commands.ts";
import { readAnswers } from "../../../src/core/planning/answers/read-answers.ts";
import { aQuestion } from "../planning/planning-values.ts";

const WHERE = aQuestion({ text: "Where?", options: ["Redis", "Postgres"], usual: "Redis" });
const WHEN = aQuestion({ text: "When?", options: ["Now", "Later"], usual: "Later" });

const NOBODY: Askers = { planner: false, stages: [], asking: [] };
const PLANNER: Askers = { ...NOBODY, planner: true };
const STAGE: Askers = { planner: false, stages: ["build", "docs"], asking: ["docs"] };

/** What somebody says behind the command. */
function behind(line: string): string {
  const [command] = parseCommands(line).commands;
  if (command?.verb !== "answer") throw new Error(`no answer: ${line}`);
  return command.text;
}

describe("an answer to a planner", () => {
  it.each([
    ["defaults", [null, null]],
    ["Defaults, please", [null, null]],
    ["b a", ["Postgres", "Now"]],
    ["1b 2a", ["Postgres", "Now"]],
    ["1b,2a", ["Postgres", "Now"]],
    ["1.b 2.a", ["Postgres", "Now"]],
    ["1)b 2)a", ["Postgres", "Now"]],
    ["(1) b", ["Postgres", null]],
    ["#1 b", ["Postgres", null]],
    ["Q2: never", [null, "never"]],
    ["1:SQLite", ["SQLite", null]],
    ["1b 2: use Redis", ["Postgres", "use Redis"]],
    ["\n1: b\n2: a", ["Postgres", "Now"]],
    ["**1.** b", ["Postgres", null]],
    ["- 1b\n- 2a", ["Postgres", "Now"]],
  ])("may be %j, as in a reply", (words, answers) => {
    const text = behind(`/loom answer ${words}`);
    expect(addressAnswer(text, PLANNER)).toEqual({ kind: "planner" });
    const read = readAnswers(text, [WHERE, WHEN], { meant: true });
    expect(read).toEqual({ kind: "answers", answers, rest: /^defaults/i.test(words) });
    expect(read).toEqual(readAnswers(words, [WHERE, WHEN]));
  });

  it.each([
    ["b", "Postgres"],
    ["(b)", "Postgres"],
    ["postgres", "Postgres"],
    ["I'd take Postgres", "Postgres"],
    ["I'd rather have SQLite.", "I'd rather have SQLite."],
    ["--force it", "--force it"],
    ["docs", "docs"],
  ])("may be %j where there is one question", (words, answer) => {
    const text = behind(`/loom answer ${words}`);
    expect(addressAnswer(text, PLANNER)).toEqual({ kind: "planner" });
    expect(readAnswers(text, [WHERE], { meant: true })).toMatchObject({ answers: [answer] });
  });

  it("goes past stages that have not asked, and past the name of one without words behind it", () => {
    const both: Askers = { ...STAGE, planner: true };
    expect(addressAnswer("build it with Redis", both)).toEqual({ kind: "planner" });
    expect(addressAnswer("docs", both)).toEqual({ kind: "planner" });
    expect(addressAnswer("docs In Markdown.", both)).toEqual({
      kind: "stage",
      stage: "docs",
      answer: "In Markdown.",
    });
  });
});

describe("an answer to a stage", () => {
  it.each([
    ["docs Yes.", { kind: "stage", stage: "docs", answer: "Yes." }],
    ["`Docs`: Yes.\nAlways.", { kind: "stage", stage: "docs", answer: "Yes.\nAlways." }],
    ["docs\n--force is fine", { kind: "stage", stage: "docs", answer: "--force is fine" }],
    ["build Yes.", { kind: "stage", stage: "build", answer: "Yes." }],
    ["docs", { kind: "empty", stage: "docs" }],
    ["dcos Yes.", { kind: "no-stage", word: "dcos" }],
    ["defaults", { kind: "no-stage", word: "defaults" }],
    ["1b,2a", { kind: "no-stage", word: "1b,2a" }],
    ["I'd take Postgres", { kind: "no-stage", word: "I'd" }],
    ["../etc hello", { kind: "no-stage", word: "../etc" }],
  ])("is read from %j", (words, to) => {
    expect(addressAnswer(behind(`/loom answer ${words}`), STAGE)).toEqual(to);
  });

  it("may go to a stage that is called like the answer to a question", () => {
    const numbered: Askers = { planner: false, stages: ["1b", "2-factor"], asking: ["1b"] };
    expect(addressAnswer("1b Yes.", numbered)).toEqual({ kind: "stage", stage: "1b", answer: "Yes." });
    expect(addressAnswer("2-factor Yes.", numbered)).toMatchObject({ stage: "2-factor" });
  });
});

describe("an answer where nobody asks", () => {
  it.each(["docs", "defaults", "1b", "I'd take Postgres"])("is for nobody: %s", (words) => {
    expect(addressAnswer(words, { ...STAGE, asking: [] })).toEqual({ kind: "nobody" });
    expect(addressAnswer(words, NOBODY)).toEqual({ kind: "nobody" });
  });

  it("goes to the stage that it names, which knows why it has not asked", () => {
    expect(addressAnswer("docs Yes.", { ...STAGE, asking: [] })).toMatchObject({ kind: "stage" });
  });
});
