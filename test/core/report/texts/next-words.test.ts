import { describe, expect, it } from "vitest";
import type { Next } from "../../../../src/core/errors.ts";
import { replies } from "../../../../src/core/report/github/run/replies.ts";
import { nextWords } from "../../../../src/core/report/texts/next-words.ts";

describe("what to do next", () => {
  const all: Next[] = [
    ["Only a blocked stage can be retried; ", { verb: "status", run: "cart-1a2b3c4d" }, " shows them."],
    [{ verb: "status", run: null }, " shows it."],
    [{ verb: "resume", run: "cart-1a2b3c4d" }, " lets it go on."],
    [{ verb: "cancel", run: "cart-1a2b3c4d" }, " ends it."],
    [{ verb: "start-over" }, " starts it over."],
    "Wait for it to end.",
  ];

  it("names commands as they are typed into a terminal", () => {
    expect(all.map((next) => nextWords(next, "terminal"))).toMatchInlineSnapshot(`
      [
        "Only a blocked stage can be retried; \`loom status cart-1a2b3c4d\` shows them.",
        "\`loom status\` shows it.",
        "\`loom resume cart-1a2b3c4d\` lets it go on.",
        "\`loom cancel cart-1a2b3c4d\` ends it.",
        "\`loom run <plan> --clean\` starts it over.",
        "Wait for it to end.",
      ]
    `);
  });

  it("names commands as they are written on GitHub, where the thread tells the run", () => {
    expect(all.map((next) => nextWords(next, "github"))).toMatchInlineSnapshot(`
      [
        "Only a blocked stage can be retried; \`/loom status\` shows them.",
        "\`/loom status\` shows it.",
        "\`/loom resume\` lets it go on.",
        "\`/loom cancel\` ends it.",
        "\`/loom run\` starts it over.",
        "Wait for it to end.",
      ]
    `);
  });

  it("leaves the words of others alone, whatever commands stand in them", () => {
    const said = "The agent wrote `loom cancel cart-1a2b3c4d`.";
    expect(nextWords(said, "github")).toBe(said);
    expect(replies.refusal(said, said)).toBe(`${said} ${said}`);
  });

  it("may be nothing", () => {
    expect(nextWords(null, "terminal")).toBe("");
    expect(replies.refusal("It is over.", null)).toBe("It is over.");
  });
});
