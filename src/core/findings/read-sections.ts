/** A finding as it stands in the text of a review. */
export type TextSection = {
  readonly id: string;
  /** Crossed out because it is fixed. */
  readonly struck: boolean;
  readonly severity: string;
  /** As Markdown. */
  readonly title: string;
  readonly text: string;
  readonly file: string | null;
  readonly line: number | null;
};

/** How the head of a section is written. */
export const SECTION_HEAD = /^#### (~~)?(F\d+) · (\w+) · (.*?)(?:~~ · fixed)?$/;
const PLACE = / \(\[?`([^`]+)`(?:\]\([^()\s]*\))?\)$/;

/** The findings in a text that Loom wrote, found by their heads. */
export function readSections(body: string): TextSection[] {
  const lines = body.split("\n");
  const heads = headLines(lines);
  return heads.map((at, index) => {
    const [, mark = "", id = "", severity = "", words = ""] = SECTION_HEAD.exec(lines[at] ?? "") ?? [];
    const [place = "", where = ""] = PLACE.exec(words) ?? [];
    const [, file = "", line = ""] = /^(.*?)(?::(\d{1,9})(?:-\d{1,9})?)?$/.exec(where) ?? [];
    const title = words.slice(0, words.length - place.length);
    return {
      id,
      struck: mark !== "",
      severity,
      title,
      text: [title, ...lines.slice(at + 1, endOfSection(lines, heads[index + 1]))].join("\n").trim(),
      file: file === "" ? null : file,
      line: line === "" ? null : Number(line),
    };
  });
}

/** What stands above a group of them; where sections end is found by it, so it is as much a part of the form as their heads. */
export const SECTION_LEADS = {
  elsewhere: "Not on a line that this change shows:",
  refused: "On lines that GitHub takes no remarks on:",
};

/** Where a section ends that the one at this line follows; a lead above that belongs to neither. */
export function endOfSection(lines: readonly string[], next = lines.length): number {
  const isLead = next < lines.length && lines[next - 2] === SECTION_LEADS.refused;
  return isLead ? next - 2 : next;
}

/** Which lines are heads of sections; in code an agent may write what it likes. */
export function headLines(lines: readonly string[]): number[] {
  const heads: number[] = [];
  let fence = "";
  for (const [at, line] of lines.entries()) {
    if (fence !== "") fence = line === fence ? "" : fence;
    else if (SECTION_HEAD.test(line)) heads.push(at);
    else fence = /^`{3,}/.exec(line)?.[0] ?? "";
  }
  return heads;
}
