import { requestTexts } from "../../../core/report/texts/request-texts.ts";
import type { IssueFacts } from "../../../ports/github/threads.ts";

export type WrittenPlan =
  /** `label`: a readable name for the run, such as the plan's path. */
  | { readonly kind: "written"; readonly text: string; readonly label: string }
  | { readonly kind: "refused"; readonly reason: string; readonly next: string }
  /** An agent has to write one. */
  | { readonly kind: "none" };

/** A plan that a person wrote already: in the file they named, or in the issue itself. */
export async function findWrittenPlan(
  issue: IssueFacts,
  path: string | null,
  readFile: (path: string) => Promise<string | null>,
): Promise<WrittenPlan> {
  if (path !== null) {
    const text = await readFile(path);
    return text === null
      ? {
          kind: "refused",
          reason: requestTexts.noFile(path),
          next: requestTexts.noFileNext(),
        }
      : { kind: "written", text, label: path };
  }
  return holdsPlan(issue.body)
    ? { kind: "written", text: issue.body, label: issueLabel(issue.number) }
    : { kind: "none" };
}

export function issueLabel(number: number): string {
  return `issue-${number}`;
}

/** A fenced block that begins with `loom:`, be it right or wrong: whoever wrote one wants to hear what is wrong with it. */
function holdsPlan(body: string): boolean {
  // No character has two places in it: with a `\r` that a comment could hold as well as its line's end, reading would take
  // twice as long with each line, and with a fence's end in two places, as long as its length squared.
  return /^ {0,3}(?:`{3}|~{3})[^\r\n]*\r?\n(?:[ \t]*(?:#[^\r\n]*)?\r?\n)*loom:/m.test(body);
}
