import { describe, expect, it } from "vitest";
import { asksForRun, parseCommands, withWordsAbove } from "../../../src/core/command/parse-commands.ts";
import { quickly } from "../../support/quickly.ts";

function commandsOf(body: string): unknown[] {
  const { commands, mistakes } = parseCommands(body);
  expect(mistakes).toEqual([]);
  return [...commands];
}

function mistakeOf(body: string): string {
  const { commands, mistakes } = parseCommands(body);
  expect(commands).toEqual([]);
  return mistakes.map(({ line, message, suggestion }) => `${line}: ${message} → ${suggestion}`).join("\n");
}

const RUN = {
  verb: "run",
  path: null,
  budgetUsd: null,
  harness: null,
  express: false,
  depth: null,
  text: "",
};

const LOOK = { text: "", harness: null, budgetUsd: null };

/** All that the commands of a comment are told, with what stands above them. */
function textsOf(body: string): string[] {
  return parseCommands(body).items.map((item) => {
    if (item.kind === "mistake") return item.message;
    const command = withWordsAbove(item);
    return "text" in command ? command.text : "";
  });
}

describe("a command line", () => {
  it("is read with all its arguments", () => {
    expect(commandsOf("/loom run docs/PLAN.md --budget 20 --harness claude --express")).toEqual([
      { ...RUN, path: "docs/PLAN.md", budgetUsd: 20, harness: "claude", express: true },
    ]);
    expect(commandsOf("/loom plan ./PLAN.md\n/loom approve 1A2b3c4\n/loom retry\n/loom retry build")).toEqual(
      [
        { verb: "plan", path: "PLAN.md", depth: null, text: "" },
        { verb: "approve", sha: "1a2b3c4" },
        { verb: "retry", stage: null },
        { verb: "retry", stage: "build" },
      ],
    );
    expect(commandsOf("/loom skip docs\n/loom take build\n/loom pause\n/loom resume\n/loom cancel")).toEqual([
      { verb: "skip", stage: "docs" },
      { verb: "take", stage: "build" },
      { verb: "pause" },
      { verb: "resume" },
      { verb: "cancel" },
    ]);
    expect(commandsOf("/loom status\n/loom approve\n/loom archive\n/loom help")).toEqual([
      { verb: "status" },
      { verb: "approve", sha: null },
      { verb: "archive" },
      { verb: "help" },
    ]);
  });

  it("is read with its words, and with the lines below it, where words are what it takes", () => {
    expect(commandsOf("/loom ask Where is the queue?\nAnd who fills it?\n/loom review")).toEqual([
      { ...LOOK, verb: "ask", text: "Where is the queue?\nAnd who fills it?" },
      { ...LOOK, verb: "review" },
    ]);
    expect(commandsOf("/loom security-audit the login --fast")).toEqual([
      { ...LOOK, verb: "security-audit", text: "the login --fast" },
    ]);
    expect(commandsOf("/loom revise Keep the old endpoint.")).toEqual([
      { verb: "revise", text: "Keep the old endpoint." },
    ]);
  });

  it("takes the other words for running and resuming", () => {
    expect(commandsOf("/loom orchestrate --depth DEEP\n/loom execute")).toEqual([
      { ...RUN, depth: "deep" },
      { verb: "resume" },
    ]);
  });

  it.each([
    ["any case", "/LOOM Run"],
    ["up to three spaces before it", "   /loom run"],
    ["Windows line ends", "hello\r\n/loom run\r\nbye"],
    ["no-break spaces", "/loom\u00a0run\u00a0"],
    ["zero-width characters", "\u200b/loom \u2060run\ufeff"],
    ["a byte order mark", "\ufeff/loom run"],
    ["a full stop behind it", "/loom run."],
    ["a colon behind the trigger", "/loom: run"],
    ["code marks around the verb", "/loom `run`"],
    ["text in the lines around it", "Please do\n/loom run\nthank you"],
    ["a list above it", "- one\n- two\n/loom run"],
    ["a quote and an empty line above it", "> what do you think?\n\n/loom run"],
    ["a quoted code block above it", "> ```\n> x\n> ```\n/loom run"],
    ["a closed fence above it", "```\nx\n```\n/loom run"],
    ["a fence of a list that has ended", "- ```\n  x\n/loom run"],
    ["code in one line above it", "```x``` is code\n/loom run"],
    ["a lone backtick above it", "the ` key\n/loom run"],
    ["a lone backtick in a heading", "# the ` key\n/loom run\nthe ` key"],
    ["a comment mark in code above it", "write `<!--` first\n/loom run"],
    ["a comment that has ended", "<!-- template -->\n/loom run"],
    ["a tag that is closed in its line", "<pre>x</pre>\n/loom run"],
  ])("may have %s", (_, body) => {
    expect(commandsOf(body)).toEqual([{ ...RUN, text: expect.any(String) }]);
  });

  it.each([
    ["--budget=7.50", { budgetUsd: 7.5 }],
    ["--budget $20", { budgetUsd: 20 }],
    ["--budget 20USD", { budgetUsd: 20 }],
    ["--Harness=Claude", { harness: "claude" }],
    ["\u2014express", { express: true }],
    ["\u2013\u2013express", { express: true }],
    ["-express", { express: true }],
    ['"docs/my plan.md"', { path: "docs/my plan.md" }],
    ["\u201cPLAN.md\u201d", { path: "PLAN.md" }],
    ["<PLAN.md>", { path: "PLAN.md" }],
    ["PLAN.md.", { path: "PLAN.md" }],
    ["--express PLAN.md", { path: "PLAN.md", express: true }],
  ])("takes %s kindly", (words, parts) => {
    expect(commandsOf(`/loom run ${words}`)).toEqual([{ ...RUN, ...parts }]);
  });
});

describe("options of a command that one agent answers", () => {
  it.each([
    ["review --harness codex", { verb: "review", harness: "codex" }],
    ["review \u2014harness codex", { verb: "review", harness: "codex" }],
    ["review \u2013\u2013harness=Codex", { verb: "review", harness: "codex" }],
    ["review -harness codex", { verb: "review", harness: "codex" }],
    [
      "debug --budget 0.50 --harness codex  The tests\thang.",
      { verb: "debug", harness: "codex", budgetUsd: 0.5, text: "The tests\thang." },
    ],
    ["ask --budget $1\nWhere is it?", { verb: "ask", budgetUsd: 1, text: "Where is it?" }],
    ["ask --harness codex -- --force?", { verb: "ask", harness: "codex", text: "--force?" }],
  ])("are read before the words: %s", (line, parts) => {
    expect(commandsOf(`/loom ${line}`)).toEqual([{ ...LOOK, ...parts }]);
  });

  it.each([
    ["ask What does --force do?", "What does --force do?"],
    ["ask what does --harness codex do?", "what does --harness codex do?"],
    ["ask -- --force is what?", "--force is what?"],
    ["ask \u2014 --harness is what?", "--harness is what?"],
    ["ask `--force` is what?", "`--force` is what?"],
    ["ask '--harness codex' is what?", "'--harness codex' is what?"],
    ["ask -v is what?", "-v is what?"],
    ["ask - is a dash, and what is this?", "- is a dash, and what is this?"],
    ["ask\n--harness codex?", "--harness codex?"],
    ["perf-check the import --harness codex", "the import --harness codex"],
  ])("are none where words speak of them: %s", (line, text) => {
    expect(commandsOf(`/loom ${line}`)).toEqual([{ ...LOOK, verb: line.split(/\s/, 1)[0], text }]);
  });

  it("are refused where nobody knows them, or where they say nothing", () => {
    const lines = [
      "ask --force does what?",
      "ask --harness codex",
      "review --deep",
      "review \u2014harnes codex",
      "review --harness",
      "security-audit --budget lots",
      "seo-audit --depth deep",
      "revise --harness codex Use two.",
    ];
    expect(lines.map((line) => mistakeOf(`/loom ${line}`)).join("\n")).toMatchInlineSnapshot(`
      "1: \`ask\` has no option \`--force\`; where it belongs to your words, write \`--\` before them. → /loom ask [--budget USD] [--harness NAME] <text…>
      1: \`ask\` needs some words behind it. → /loom ask [--budget USD] [--harness NAME] <text…>
      1: \`review\` has no option \`--deep\`; where it belongs to your words, write \`--\` before them. → /loom review [--budget USD] [--harness NAME] [text…]
      1: \`review\` has no option \`--harnes\`; where it belongs to your words, write \`--\` before them. → /loom review --harness …
      1: \`--harness\` needs a value behind it. → /loom review [--budget USD] [--harness NAME] [text…]
      1: \`lots\` is not an amount in US dollars above 0, such as \`20\` or \`7.50\`. → /loom security-audit [--budget USD] [--harness NAME] [text…]
      1: \`seo-audit\` has no option \`--depth\`; where it belongs to your words, write \`--\` before them. → /loom seo-audit [--budget USD] [--harness NAME] [text…]
      1: \`revise\` has no option \`--harness\`; where it belongs to your words, write \`--\` before them. → /loom revise <text…>"
    `);
    expect(mistakeOf("/loom reviw --harness codex")).toMatchInlineSnapshot(
      `"1: There is no command \`reviw\`. → /loom review --harness codex"`,
    );
  });
});

describe("words around a command", () => {
  it("are told with it, those of its own first", () => {
    expect(textsOf("Please keep the OLDAPI.\n\n/loom run\n\nUse only STDLIB.")).toEqual([
      "Use only STDLIB.\n\nPlease keep the OLDAPI.",
    ]);
    expect(textsOf("Mind the old clients.\r\n\r\n/loom revise Add two")).toEqual([
      "Add two\n\nMind the old clients.",
    ]);
    expect(textsOf("The import hangs.\n/loom debug\n/loom ask Since when?")).toEqual([
      "The import hangs.",
      "Since when?\n\nThe import hangs.",
    ]);
  });

  it("belong to the next command where the one above them takes none", () => {
    expect(textsOf("/loom cancel\nOnce more, with less:\n/loom run\nNo tests.\n/loom status")).toEqual([
      "",
      "No tests.\n\nOnce more, with less:",
      "",
    ]);
  });

  it("keep their code and their quotes, and add nothing to an answer", () => {
    expect(textsOf("> as here\n\n/loom run\n```\n/loom cancel\n```")).toEqual([
      "```\n/loom cancel\n```\n\n> as here",
    ]);
    expect(textsOf("Good question.\n/loom answer 1b")).toEqual(["1b"]);
  });

  it("may stand behind it, unless they are the path of a plan", () => {
    const run = (text: string, more = {}) => [{ ...RUN, text, ...more }];
    expect(commandsOf("/loom run please add rate limiting\nto all routes.")).toEqual(
      run("please add rate limiting\nto all routes."),
    );
    expect(commandsOf("/loom run --budget 20 Use `a --verbose flag`, not docs/OLD.md.")).toEqual(
      run("Use `a --verbose flag`, not docs/OLD.md.", { budgetUsd: 20 }),
    );
    expect(commandsOf("/loom run client/server split")).toEqual(run("client/server split"));
    expect(commandsOf("/loom run plans/split --express")).toEqual(
      run("", { path: "plans/split", express: true }),
    );
    expect(commandsOf("/loom plan plan.yaml")).toEqual([
      { verb: "plan", path: "plan.yaml", depth: null, text: "" },
    ]);
    expect(mistakeOf("/loom run README.md needs a section")).toMatchInlineSnapshot(
      `"1: \`run\` can't use \`needs\` behind the path of a plan. Words for a planner stand in lines of their own, without a path. → /loom run README.md"`,
    );
    expect(mistakeOf("/loom run add limits --budget 20")).toMatchInlineSnapshot(
      `"1: \`--budget\` has to stand before the words for the planner. → /loom run [path] [--budget USD] [--harness NAME] [--depth DEPTH] [--express] [text…]"`,
    );
  });
});

describe("what is not meant for Loom", () => {
  it.each([
    ["a fence", "```\n/loom run\n```"],
    ["a fence that never ends", "~~~ sh\n/loom run"],
    ["a longer fence around a shorter one", "````\n```\n/loom run\n```\n````"],
    ["a fence in a list", "1. ```\n   /loom run\n   ```"],
    ["indented code", "    /loom run"],
    ["code behind a tab", "\t/loom run"],
    ["code in a line", "`/loom run`"],
    ["code over several lines", "say `a\n/loom run\nb` now"],
    ["a quote", "> /loom run\n>/loom run\n > > /loom run"],
    ["an HTML comment", "<!--\n\n/loom run\n\n-->"],
    ["an HTML comment that never ends", "<!--\n/loom run"],
    ["an HTML comment inside a sentence", "so <!-- \n/loom run\n--> it is"],
    ["preformatted HTML", "<pre>\n/loom run\n</pre>"],
    ["an HTML quote", "<blockquote>\n\n/loom run\n\n</blockquote>"],
    ["a sentence", "Write /loom run to start."],
    ["a list item", "- /loom run"],
    ["another word", "/loomx run\n/loom-dev run\n/looms\n/weave run"],
    ["an escaped slash", "\\/loom run"],
  ])("is %s", (_, body) => {
    expect(parseCommands(body)).toEqual({ items: [], commands: [], mistakes: [], unread: 0 });
  });
});

describe("an answer", () => {
  it("goes on until the next command, code and all", () => {
    const body =
      "/loom answer Build-API Use this:\r\n\r\n```sql\r\n/loom run\r\n```\r\n\r\nIt — works.  \r\n/loom status";
    expect(commandsOf(body)).toEqual([
      { verb: "answer", text: "Build-API Use this:\n\n```sql\n/loom run\n```\n\nIt — works." },
      { verb: "status" },
    ]);
  });

  it("is kept as it was written: who has asked knows what it means", () => {
    const words = ["1b 2: use Redis", "defaults", "b", "I'd take Postgres", "1b,2a", "(1) b", "../etc hello"];
    for (const text of [...words, "--force is fine", "build:\n--force is fine"])
      expect(commandsOf(`/loom answer ${text}`)).toEqual([{ verb: "answer", text }]);
    expect(commandsOf("/loom answer\n1. b\n2. the second one")).toEqual([
      { verb: "answer", text: "1. b\n2. the second one" },
    ]);
  });

  it("has to say something", () => {
    expect(mistakeOf("/loom answer")).toMatchInlineSnapshot(
      `"1: \`answer\` needs some words behind it. → /loom answer [stage] <text…>"`,
    );
    expect(mistakeOf("/loom reply 1b,2a")).toMatchInlineSnapshot(
      `"1: There is no command \`reply\`. → /loom answer 1b,2a"`,
    );
  });
});

describe("a mistake", () => {
  it("in the verb gets the nearest one, with what stood behind it", () => {
    expect(mistakeOf("/loom")).toMatchInlineSnapshot(`"1: No command stands behind \`/loom\`. → /loom help"`);
    expect(mistakeOf("/loom aprove 1a2b3c4")).toMatchInlineSnapshot(
      `"1: There is no command \`aprove\`. → /loom approve 1a2b3c4"`,
    );
    expect(mistakeOf("/loom stop")).toMatchInlineSnapshot(
      `"1: There is no command \`stop\`. → /loom cancel"`,
    );
    expect(mistakeOf("\n/loom restart build")).toMatchInlineSnapshot(
      `"2: There is no command \`restart\`. → /loom retry build"`,
    );
    expect(mistakeOf("/loom constructor")).toMatchInlineSnapshot(
      `"1: There is no command \`constructor\`. → /loom help"`,
    );
    expect(mistakeOf("/loom `$(id)`\n")).toMatchInlineSnapshot(
      `"1: There is no command \`$(id)\`. → /loom help"`,
    );
  });

  it("in the arguments says what is expected", () => {
    expect(mistakeOf("/loom skip")).toMatchInlineSnapshot(
      `"1: \`skip\` needs the name of a stage. → /loom skip <stage>"`,
    );
    expect(mistakeOf("/loom retry build please")).toMatchInlineSnapshot(
      `"1: \`retry\` can't use \`please\`. → /loom retry build"`,
    );
    expect(mistakeOf("/loom pause now")).toMatchInlineSnapshot(
      `"1: \`pause\` can't use \`now\`. → /loom pause"`,
    );
    expect(mistakeOf("/loom skip $(id)")).toMatchInlineSnapshot(
      `"1: \`$(id)\` is not the name of a stage: those have small letters, digits and dashes. → /loom skip <stage>"`,
    );
    expect(mistakeOf("/loom approve 12345")).toMatchInlineSnapshot(
      `"1: \`12345\` is not a commit: it takes 7 to 64 hexadecimal digits. → /loom approve [sha]"`,
    );
    expect(mistakeOf("/loom run ../secrets.md")).toMatchInlineSnapshot(
      `"1: The path \`../secrets.md\` leads out of the work tree. → /loom run [path] [--budget USD] [--harness NAME] [--depth DEPTH] [--express] [text…]"`,
    );
    expect(mistakeOf("/loom run /etc/passwd")).toMatchInlineSnapshot(
      `"1: The path \`/etc/passwd\` is absolute. → /loom run [path] [--budget USD] [--harness NAME] [--depth DEPTH] [--express] [text…]"`,
    );
    expect(mistakeOf("/loom run docs\\PLAN.md")).toMatchInlineSnapshot(
      `"1: The path \`docs\\PLAN.md\` has to be written with \`/\`. → /loom run [path] [--budget USD] [--harness NAME] [--depth DEPTH] [--express] [text…]"`,
    );
    expect(mistakeOf("/loom run ./")).toMatchInlineSnapshot(
      `"1: The path \`./\` names no file. → /loom run [path] [--budget USD] [--harness NAME] [--depth DEPTH] [--express] [text…]"`,
    );
  });

  it("in the options gets the nearest one", () => {
    expect(mistakeOf("/loom run --expres")).toMatchInlineSnapshot(
      `"1: \`run\` has no option \`--expres\`. → /loom run --express"`,
    );
    expect(mistakeOf("/loom run --budgt 3")).toMatchInlineSnapshot(
      `"1: \`run\` has no option \`--budgt\`. → /loom run --budget …"`,
    );
    expect(mistakeOf("/loom run --budget")).toMatchInlineSnapshot(
      `"1: \`--budget\` needs a value behind it. → /loom run [path] [--budget USD] [--harness NAME] [--depth DEPTH] [--express] [text…]"`,
    );
    expect(mistakeOf("/loom run --budget lots")).toMatchInlineSnapshot(
      `"1: \`lots\` is not an amount in US dollars above 0, such as \`20\` or \`7.50\`. → /loom run [path] [--budget USD] [--harness NAME] [--depth DEPTH] [--express] [text…]"`,
    );
    expect(mistakeOf("/loom run --budget 0")).toMatchInlineSnapshot(
      `"1: \`0\` is not an amount in US dollars above 0, such as \`20\` or \`7.50\`. → /loom run [path] [--budget USD] [--harness NAME] [--depth DEPTH] [--express] [text…]"`,
    );
    expect(mistakeOf("/loom run --express=yes")).toMatchInlineSnapshot(
      `"1: \`--express\` takes no value. → /loom run [path] [--budget USD] [--harness NAME] [--depth DEPTH] [--express] [text…]"`,
    );
    expect(mistakeOf("/loom run --express --depth deep")).toMatchInlineSnapshot(
      `"1: \`--express\` designs nothing, so it can't go with \`--depth\`. → /loom run --express"`,
    );
    expect(mistakeOf("/loom status --force")).toMatchInlineSnapshot(
      `"1: \`status\` has no option \`--force\`. → /loom status"`,
    );
    expect(mistakeOf("/loom run --harness -rf")).toMatchInlineSnapshot(
      `"1: \`-rf\` is not the name of a harness. → /loom run [path] [--budget USD] [--harness NAME] [--depth DEPTH] [--express] [text…]"`,
    );
  });

  it("is a command right below a quote, because Markdown makes it a part of the quote", () => {
    expect(mistakeOf("> shall we?\n/loom run")).toMatchInlineSnapshot(
      `"2: The command stands right below a quote, so it counts as a part of it. Leave an empty line between them. → /loom run [path] [--budget USD] [--harness NAME] [--depth DEPTH] [--express] [text…]"`,
    );
  });
});

describe("a comment", () => {
  it("keeps the order of commands and mistakes, with their lines", () => {
    expect(parseCommands("/loom pause\n\n/loom frobnicate\n/loom status").items).toEqual([
      { kind: "command", line: 1, command: { verb: "pause" }, above: "" },
      {
        kind: "mistake",
        line: 3,
        message: "There is no command `frobnicate`.",
        suggestion: "/loom help",
        about: "verb",
      },
      { kind: "command", line: 4, command: { verb: "status" }, above: "" },
    ]);
  });

  it("has at most five commands read, and the rest counted", () => {
    const { items, unread } = parseCommands("/loom status\n".repeat(8));
    expect(items).toHaveLength(5);
    expect(unread).toBe(3);
  });

  it("of a new issue asks for a run only with a command of its own", () => {
    expect(asksForRun("The login is broken.\n\n/loom run\n")).toBe(true);
    expect(asksForRun("The login is broken.\n\n/loom status\n")).toBe(false);
    expect(asksForRun("Why does `/loom run` fail?\n\n```\n/loom run\n```")).toBe(false);
    expect(asksForRun("")).toBe(false);
  });
});

describe("hostile comments", () => {
  const MEGA = 65_536;
  const LIMIT_MS = 1000;

  it.each([
    ["backticks of growing length", Array.from({ length: 360 }, (_, n) => "`".repeat(n)).join(" ")],
    ["lone backticks", "` `` ".repeat(MEGA / 5)],
    ["comment marks", "<!-- ".repeat(MEGA / 5)],
    ["comment marks and commands", "a <!--\n/loom run\n".repeat(MEGA / 16)],
    ["fences", "```\n".repeat(MEGA / 4)],
    ["list marks", "- ".repeat(MEGA / 2)],
    ["wide list marks", "-    ".repeat(MEGA / 5)],
    ["quotes", "> ".repeat(MEGA / 2)],
    ["spaces", `/loom${" ".repeat(MEGA)}x`],
    ["a long verb", `/loom ${"retri".repeat(MEGA / 5)}`],
    ["full stops", `/loom answer ${".".repeat(MEGA)}x`],
    ["full stops behind a verb", `/loom ${".x".repeat(MEGA / 2)}`],
    ["quotes in a line", `/loom run ${'"'.repeat(MEGA)}`],
    ["dashes", `/loom run ${"-".repeat(MEGA)}`],
    ["commands", "/loom run\n".repeat(MEGA / 10)],
    ["zero-width characters", `/loom ${"\u200b".repeat(MEGA)}run`],
    ["escapes", "\\`".repeat(MEGA / 2)],
    ["unfinished terminal commands", "\u001b]".repeat(MEGA / 2)],
  ])("of %s are read in time", (_, body) => {
    quickly(LIMIT_MS, () => parseCommands(`${body}\n/loom status`));
  });
});
