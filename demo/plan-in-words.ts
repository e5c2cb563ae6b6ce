import stringWidth from "string-width";
import { plainText } from "../src/core/text/escape-text.ts";
import { fitText, wrapText } from "../src/core/text/text-width.ts";
import { readTable } from "./read-panel.ts";

const NAME_WIDTH = 34;
const TEXT_WIDTH = 64;

/** The plan as its pull request shows it: who does what after what, and what it can take at most. */
export function planInWords(body: string): string[] {
  const stages = readTable(body, "Proved by").map(([stage = "", agent = "", after = ""]) => {
    const [, id = "", name = ""] = /^`([^`]+)` ?(.*)$/.exec(stage) ?? [];
    return { id, name, agent: plain(agent), after: plain(after) };
  });
  const widest = Math.max(...stages.map(({ id }) => id.length));
  const ceilings = readTable(body, "At most").filter(([title]) => title !== "Critical path");
  return [
    ...stages.map(
      ({ id, name, agent, after }) =>
        `  ${id.padEnd(widest)}  ${pad(plain(name))}  ${agent}${after === "" ? "" : `, after ${after}`}`,
    ),
    "",
    "  At most:",
    ...ceilings.flatMap(([title = "", text = ""]) =>
      wrapText(plain(text), TEXT_WIDTH, stringWidth).map(
        (line, index) => `  ${(index === 0 ? title.toLowerCase() : "").padEnd(widest)}  ${line}`,
      ),
    ),
  ];
}

function plain(markdown: string): string {
  return plainText(markdown.replaceAll("`", ""));
}

function pad(text: string): string {
  return fitText(text, NAME_WIDTH, stringWidth);
}
