export type ShownQuestion = {
  readonly text: string;
  /** Each behind its letter: `a) …`. */
  readonly options: readonly string[];
};

/** The planner's questions, as a comment shows them. */
export function readQuestions(body: string): ShownQuestion[] {
  const questions: { text: string; options: string[] }[] = [];
  for (const line of body.split("\n")) {
    const [, text] = /^\*\*\d+\.\*\* (.+)$/.exec(line) ?? [];
    if (text !== undefined) questions.push({ text: inWords(text), options: [] });
    const [, letter, option = ""] = /^- \*\*([a-z])\*\* (.+)$/.exec(line) ?? [];
    if (letter !== undefined) questions.at(-1)?.options.push(`${letter}) ${inWords(option)}`);
  }
  return questions;
}

/** Without the marks that keep somebody's words from being Markdown. */
function inWords(markdown: string): string {
  return markdown
    .replace(/\\([!-/:-@[-`{-~])/g, "$1")
    .replaceAll("`", "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
