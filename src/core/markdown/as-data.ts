import { plainLines } from "../text/escape-text.ts";

const LONGEST_TICKS = 20;

/**
 * Words of agents, commands and people for another agent, as a code block that nothing in it can close. The fence has to
 * be longer than any run of backticks inside, so endless runs are shortened: they would cost their length three times.
 */
export function asData(text: string, language = "text"): string {
  const content = dataText(text);
  const longest = (content.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${content}\n${fence}`;
}

/** What stands in that block: shorter than the text where nobody could see the difference. */
export function dataText(text: string): string {
  return plainLines(text)
    .replace(/`{21,}/g, "`".repeat(LONGEST_TICKS))
    .trimEnd();
}
