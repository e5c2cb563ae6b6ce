import fc from "fast-check";
import { marked, type Token } from "marked";
import { expect, it } from "vitest";
import { parseCommands } from "../../../src/core/command/parse-commands.ts";

const LINES = [
  "COMMAND",
  "  COMMAND",
  "COMMAND",
  "    COMMAND",
  "> COMMAND",
  "`COMMAND`",
  "- COMMAND",
  "text",
  "",
  "",
  "```",
  "````",
  "~~~",
  "```sh",
  "  ```",
  "a ` b",
  "a `` b",
  "x \\` y",
  "<!--",
  "-->",
  "a <!-- b",
  "b --> c",
  "<pre>",
  "</pre>",
  "> quote",
  "> ```",
  "# head `",
  "- item `",
  "1. item",
];

const HIDDEN = /<!--[\s\S]*?(?:-->|$)|<pre>[\s\S]*?(?:<\/pre>|$)/g;

/** The text that a reader takes for the author's own words: no code, no quote, nothing hidden. */
function ownWords(tokens: readonly Token[], inList = false): string {
  return tokens
    .map((token) => {
      // The other reader lets a fence of a list item that is never closed go on behind the list; GitHub does not.
      if (token.type === "code" && inList && !/\n *(?:`{3,}|~{3,})\s*$/.test(token.raw)) return token.raw;
      if (["code", "codespan", "blockquote"].includes(token.type)) return "\n";
      // What stands below a tag is shown as it is.
      if (token.type === "html") return token.raw.replace(HIDDEN, "");
      if (token.type === "list")
        return token.items.map((item: Token) => ownWords(childrenOf(item), true)).join("\n");
      const children = childrenOf(token);
      return children.length > 0 ? `${ownWords(children, inList)}\n` : token.raw;
    })
    .join("");
}

function childrenOf(token: Token): readonly Token[] {
  return "tokens" in token && token.tokens ? token.tokens : [];
}

it("takes nothing for a command that another reader of Markdown takes for code, a quote or a comment", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...LINES), { maxLength: 14 }), (lines) => {
      const body = lines.map((line, n) => line.replace("COMMAND", `/loom skip s${n}`)).join("\n");
      const words = ownWords(marked.lexer(body));
      for (const command of parseCommands(body).commands) {
        if (command.verb === "skip") expect(words).toContain(`/loom skip ${command.stage}`);
      }
    }),
    // The other reader is no authority: the same documents each time.
    { numRuns: 3000, seed: 1 },
  );
});
