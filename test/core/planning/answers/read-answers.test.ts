import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  answersBy,
  completeAnswers,
  readAnswers,
} from "../../../../src/core/planning/answers/read-answers.ts";
import { propertyRuns } from "../../../support/property-runs.ts";
import { quickly } from "../../../support/quickly.ts";
import { aQuestion } from "../planning-values.ts";

const THREE = [
  aQuestion({ text: "Where?", options: ["Redis", "Postgres", "Memory"], usual: "Redis" }),
  aQuestion({ text: "How?", options: [], usual: "As today" }),
  aQuestion({ text: "When?", options: ["Now", "Later"], usual: "Later" }),
];
const ONE = THREE.slice(0, 1);

function said(body: string, questions = THREE): unknown {
  const read = readAnswers(body, questions);
  if (read.kind === "answers")
    return read.answers.map((answer, index) => answer ?? (read.rest ? questions[index]?.usual : null));
  return read.kind === "unclear" ? read.message : null;
}

describe("readAnswers", () => {
  it.each([
    ["1b 2: use Redis", ["Postgres", "use Redis", null]],
    ["1b 2: use Redis 3a", ["Postgres", "use Redis", "Now"]],
    ["1b, 3a", ["Postgres", null, "Now"]],
    ["1B; 3A.", ["Postgres", null, "Now"]],
    ["1. b\n2. with a queue\n3. a", ["Postgres", "with a queue", "Now"]],
    ["1) c\n\n3) b", ["Memory", null, "Later"]],
    ["- 1: b\n- 3: a", ["Postgres", null, "Now"]],
    ["1: Postgres", ["Postgres", null, null]],
    ["1: option b", ["Postgres", null, null]],
    ["1: something else entirely, such as sqlite", ["something else entirely, such as sqlite", null, null]],
    ["1: a cache would do", ["a cache would do", null, null]],
    ["1b because it is there", ["Postgres (because it is there)", null, null]],
    [
      "2: in two steps:\nfirst the reader,\nthen the writer",
      [null, "in two steps:\nfirst the reader,\nthen the writer", null],
    ],
    ["2: at most 3 times a day", [null, "at most 3 times a day", null]],
    ["2: version 3: the new one", [null, "version", "the new one"]],
    ["Q1b Q3a", ["Postgres", null, "Now"]],
    ["**1.** b", ["Postgres", null, null]],
    ["Thanks for asking!\n1b 3a", ["Postgres", null, "Now"]],
    ["1 b 3 a", ["Postgres", null, "Now"]],
    ["1b 3 a", ["Postgres", null, "Now"]],
    ["3 a 1 b", ["Postgres", null, "Now"]],
    ["1b/3a", ["Postgres", null, "Now"]],
    ["1b / 3a", ["Postgres", null, "Now"]],
    ["1b & 3a", ["Postgres", null, "Now"]],
    ["1b + 3a", ["Postgres", null, "Now"]],
    ["1b and 3a", ["Postgres", null, "Now"]],
    ["1 - b, 3 - a", ["Postgres", null, "Now"]],
    ["#1 b #3 a", ["Postgres", null, "Now"]],
    ["question 1: b, question 3: a", ["Postgres", null, "Now"]],
    ["1b &", ["Postgres", null, null]],
    ["1b!!", ["Postgres", null, null]],
    ["2: use 3 a day", [null, "use 3 a day", null]],
    ["2: see docs/3a", [null, "see docs/3a", null]],
    ["b x a", null],
    ["defaults", ["Redis", "As today", "Later"]],
    ["OK, go with the defaults.", ["Redis", "As today", "Later"]],
    ["use the defaults please", ["Redis", "As today", "Later"]],
    ["1b, defaults for the rest", ["Postgres", "As today", "Later"]],
    ["1b\nthe rest: defaults", ["Postgres", "As today", "Later"]],
    ["1: default 3a", ["Redis", null, "Now"]],
    ["1: default, 3 a", ["Redis", null, "Now"]],
    ["1: defaults to 3: z", ["defaults to 3: z", null, null]],
    ["/loom answer 1b 2: x", ["Postgres", "x", null]],
    ["> 1. Where?\n> a Redis\n\n1b", ["Postgres", null, null]],
    ["1-b 3-a", ["Postgres", null, "Now"]],
    ["(1) b (3) a", ["Postgres", null, "Now"]],
    ["(1b) (3a)", ["Postgres", null, "Now"]],
    ["(1) b\n(2) with a queue", ["Postgres", "with a queue", null]],
    ["1 default 3 a", ["Redis", null, "Now"]],
    ["1b 3 default", ["Postgres", null, "Later"]],
    ["1: default.", ["Redis", null, null]],
    ["1: default values everywhere", ["default values everywhere", null, null]],
    ["1 b because it is there", ["Postgres (because it is there)", null, null]],
    ["1: b since we have it", ["Postgres (since we have it)", null, null]],
    ["1b, it is there", ["Postgres (it is there)", null, null]],
    ["1b (it is there)", ["Postgres (it is there)", null, null]],
    ["1b but only for now", ["Postgres (but only for now)", null, null]],
    ["1b please, 3a thanks", ["Postgres", null, "Now"]],
    ["1b as we have it 3: soon", ["Postgres (as we have it)", null, "soon"]],
    ["2:3 times a day", [null, "3 times a day", null]],
  ])("takes %j", (body, answers) => {
    expect(said(body)).toEqual(answers);
  });

  it.each([
    "b",
    "B",
    "b)",
    "Postgres",
    "postgres.",
    "1b",
    "1: b",
    "option b",
    "Postgres please",
    "b, please!",
    "Let's use Postgres.",
    "OK, go with option b",
  ])("takes %j when there is one question", (body) => {
    expect(said(body, ONE)).toEqual(["Postgres"]);
  });

  it("takes letters alone when every question has options", () => {
    expect(
      said(
        "b, a",
        THREE.filter(({ options }) => options.length > 0),
      ),
    ).toEqual(["Postgres", "Now"]);
  });

  it.each([
    "I think the second one needs more thought.",
    "What do you mean by 2?",
    "> 1b",
    "```\n1b 2a\n```",
    "    1b",
    "<!-- 1b -->",
    "I see three things:\n1. The cache is slow\n2. The logs are wrong",
    "In 2024 we had 1b users",
    "2nd try",
    "10 000 users",
    "1.5 seconds would do",
    "10:30 works for me",
    "12. December is too late",
    "2 a day is fine",
    "1 default would be enough",
    "1a side note: it is slow",
    "3a-b testing is out of scope",
    "1b\u2019s fine",
    "10x!",
    "1B users, 3B requests and counting",
    "/loom status",
    "I",
    "",
  ])("takes %j for talk", (body) => {
    expect(readAnswers(body, THREE)).toEqual({ kind: "none" });
  });

  it("takes sentences that begin like an answer for talk, unless a command says that they are one", () => {
    const wide = [THREE[0], { ...THREE[2], options: ["Now", "Soon", "Later", "Never"] }].map((question) =>
      aQuestion(question),
    );
    const talk = [
      "2d games are out of scope",
      "2-d games are out of scope",
      "2d-games are out of scope",
      "2d, 3d and 4d games are out of scope",
      "10x faster please",
      "3d rendering matters",
      "4k videos are fine",
      "1: a cache, no 2d engine",
    ];
    expect(talk.map((body) => said(body, wide))).toEqual([
      ...talk.slice(1).map(() => null),
      ["a cache, no 2d engine", null],
    ]);
    expect(readAnswers("2d as it is", wide, { meant: true })).toMatchObject({
      answers: [null, "Never (as it is)"],
    });
    expect(readAnswers("2d games are out of scope", wide, { meant: true })).toMatchObject({
      answers: [null, "Never (games are out of scope)"],
    });
    expect(readAnswers("10x faster please", wide, { meant: true })).toMatchObject({ kind: "unclear" });
  });

  it("says kindly what does not fit", () => {
    expect(
      ["1e", "7a", "1b 7a", "1: z", "1: default 3: z", "7: by hand", "a"].map((body) => said(body)),
    ).toMatchInlineSnapshot(`
      [
        "Question 1 has the options a to c, and \`e\` is none of them. Choose one, or answer in words: \`1: your words\`.",
        "I can't find question 7: there are 3 questions. Answer like this: \`1b 2: your words\`.",
        "I can't find question 7: there are 3 questions. Answer like this: \`1b 2: your words\`.",
        "Question 1 has the options a to c, and \`z\` is none of them. Choose one, or answer in words: \`1: your words\`.",
        "Question 3 has the options a to b, and \`z\` is none of them. Choose one, or answer in words: \`3: your words\`.",
        "I can't find question 7: there are 3 questions. Answer like this: \`1b 2: your words\`.",
        "I can't tell which question this answers. Answer like this: \`1b 2: your words\`.",
      ]
    `);
    expect(
      ["1: default 3: z", "1: the default, 3: z", "1: default 7a"].map((body) => said(body)),
    ).toMatchInlineSnapshot(`
        [
          "Question 3 has the options a to b, and \`z\` is none of them. Choose one, or answer in words: \`3: your words\`.",
          "Question 3 has the options a to b, and \`z\` is none of them. Choose one, or answer in words: \`3: your words\`.",
          "I can't find question 7: there are 3 questions. Answer like this: \`1b 2: your words\`.",
        ]
      `);
    expect(["e", "2b", "a b"].map((body) => said(body, ONE))).toMatchInlineSnapshot(`
      [
        "Question 1 has the options a to c, and \`e\` is none of them. Choose one, or answer in words: \`1: your words\`.",
        "I can't find question 2: there is one question. Answer \`1b\`, or \`1: your words\`.",
        "I can't tell which question this answers. Answer \`1b\`, or \`1: your words\`.",
      ]
    `);
  });

  it("takes mere words when they are known to be an answer", () => {
    const meant = (body: string, questions = ONE) => readAnswers(body, questions, { meant: true });
    expect(meant("Keep them in SQLite.")).toEqual({
      kind: "answers",
      answers: ["Keep them in SQLite."],
      rest: false,
    });
    expect(meant("b")).toMatchObject({ answers: ["Postgres"] });
    expect(meant("Keep them in SQLite.", THREE)).toMatchObject({ kind: "unclear" });
    expect(meant("> quoted")).toEqual({ kind: "none" });
    expect(meant("words", [])).toEqual({ kind: "none" });
  });

  it("knows no answer without a question", () => {
    expect(readAnswers("1b", [])).toEqual({ kind: "none" });
  });

  it("reads anything, in linear time", () => {
    const piece = fc.constantFrom(
      "1",
      "2",
      "b",
      ":",
      " ",
      "\n",
      ",",
      "1b",
      "3a",
      "defaults",
      "the rest",
      "> ",
      "```",
      "**",
      "- ",
      "q",
      "Q1",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 5 })), { maxLength: 30 }), (parts) => {
        const read = readAnswers(parts.join(""), THREE);
        if (read.kind === "answers") expect(read.answers).toHaveLength(3);
      }),
      { numRuns: propertyRuns(5) },
    );
    for (const unit of [
      "1b ",
      "1 ",
      "a ",
      " ",
      "\n",
      "1:",
      "<!--",
      ",",
      "and ",
      "ok, ",
      "the rest ",
      "/",
      " & ",
      "1 b ",
      "1-b ",
      "(1) b ",
      "1 default ",
      "3d ",
      "please ",
    ]) {
      const many = unit.repeat(Math.floor(200_000 / unit.length));
      quickly(1_500, () => readAnswers(`1: ${many}`, THREE));
      quickly(1_500, () => readAnswers(`${many}x`, THREE));
    }
  });
});

describe("what is made of answers", () => {
  const by = "octocat";

  it("keeps to what was named, and to the rest where that was meant", () => {
    const said = { answers: ["Postgres", null, null], rest: false };
    expect(answersBy(THREE, [], said, by)).toEqual([{ text: "Postgres", by }, null, null]);
    const given = [null, { text: "By hand", by: "ann" }, null];
    expect(answersBy(THREE, given, { ...said, rest: true }, by)).toEqual([
      { text: "Postgres", by },
      null,
      { text: "Later", by },
    ]);
  });

  it("fills in what nobody said with the default, and says so", () => {
    expect(completeAnswers(THREE, [{ text: "Postgres", by }, null])).toEqual([
      { text: "Postgres", by },
      { text: "As today", by: null },
      { text: "Later", by: null },
    ]);
    expect(completeAnswers(ONE, [])).toEqual([{ text: "Redis", by: null }]);
  });
});
