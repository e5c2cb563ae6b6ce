import { BYTES_PER_TOKEN, type Composed, PROMPT_BUDGET_TOKENS } from "../prompt/compose-prompt.ts";
import type { Part } from "../prompt/fit-parts.ts";
import { cutAt, shortLine } from "../text/cut-text.ts";
import { counted } from "../text/durations.ts";
import { type FileChange, splitDiff } from "./split-diff.ts";
import type { SeenChange } from "./task-events.ts";
import { filePart, ownPart, theirs, WORTH } from "./task-parts.ts";
import type { TaskPrompt } from "./task-prompt.ts";

/** A change that an agent is to look at. */
export type Change = {
  /** As far as an agent is given it. */
  readonly diff: string;
  readonly files: readonly string[];
  /** Where the agent can read the diff when not all of it fits; it has to be put there then. */
  readonly place: string;
  /** What `diff` ends before: then there are so many files in all, and of the last one it may hold a part. null: it is whole. */
  readonly beyond: { readonly files: number; readonly bytes: number } | null;
};

export type ChangePrompt = TaskPrompt & {
  /** null: there is no change. */
  readonly seen: SeenChange | null;
  /** What has to be put at the change's `place`; null: nothing, all of it is in the prompt. */
  readonly rest: string | null;
};

/** So much of a diff stays when other things have to give way. */
const DIFF_CHARS = 40_000;
const MOST_CHARS = PROMPT_BUDGET_TOKENS * BYTES_PER_TOKEN;
const MAX_LISTED = 150;

/**
 * A prompt with as many files of a change as fit into it, each of them whole: half of a file's diff reads like all of it.
 * The small ones come first, because then the most files are there; of the rest the prompt says where it can be read. That
 * takes room itself, so it is composed again without what did not fit, until all that is in it fits.
 */
export function fitChange(
  change: Change | null,
  compose: (parts: readonly Part[]) => Composed,
): ChangePrompt {
  if (change === null) return { ...compose([]), seen: null, rest: null };
  const all = splitDiff(change.diff);
  const whole = change.beyond === null ? all : all.slice(0, -1);
  const order = [...whole].sort((a, b) => a.text.length - b.text.length);
  const chosen = new Set(within(order, MOST_CHARS));
  const firm = new Set(within(order, DIFF_CHARS));
  for (;;) {
    const shown = all.filter((one) => chosen.has(one));
    const parts = new Map<Part, FileChange>();
    for (const one of shown)
      for (const part of partOf(one, firm.has(one) ? WORTH.diff : WORTH.restOfDiff)) parts.set(part, one);
    const left = all.filter((one) => !chosen.has(one));
    const begun = shown.length === 0 ? beginningOf(order[0] ?? all[0]) : [];
    const { shortened, ...prompt } = compose([
      ...headParts(all),
      ...parts.keys(),
      ...begun,
      ...leftParts(change, left, whole.length),
      ...filePart(change.files),
    ]);
    const lost = shortened.flatMap((part) => parts.get(part) ?? []);
    for (const one of lost) chosen.delete(one);
    if (lost.length > 0) continue;
    const files = change.beyond?.files ?? all.length;
    const { metrics } = prompt;
    return {
      ...prompt,
      metrics: left.length === 0 ? metrics : { ...metrics, cut: [...new Set(["the diff", ...metrics.cut])] },
      seen: { files, shown: shown.length, readable: whole.length },
      rest: left.length === 0 ? null : `${all.map(({ text }) => text).join("\n")}\n`,
    };
  }
}

/** The first of them that take no more than so many characters together. */
function within(order: readonly FileChange[], chars: number): FileChange[] {
  let taken = 0;
  return order.filter(({ text }) => {
    taken += text.length;
    return taken <= chars;
  });
}

function headParts(all: readonly FileChange[]): Part[] {
  if (all.length === 0) return [];
  const hasSigns = all.some(({ text }) => /[␍⟨]/.test(text));
  const signs = hasSigns ? "; `␍` and `⟨U+…⟩` stand for characters that can't be seen" : "";
  return [ownPart(`## The change\n\nAs a diff; lines that begin with \`+\` are new${signs}:`)];
}

function partOf({ text }: FileChange, priority: number): Part[] {
  return theirs("the diff", priority, "", text, "diff").map((part) => ({ ...part, keep: "whole" }));
}

/** Where no file fits, the beginning of one is better than nothing. */
function beginningOf(smallest: FileChange | undefined): Part[] {
  if (!smallest) return [];
  const start = cutAt(smallest.text, DIFF_CHARS);
  const line = start.lastIndexOf("\n");
  return theirs("the diff", WORTH.diff, "", start.slice(0, line > 0 ? line : undefined), "diff");
}

function leftParts({ place, beyond }: Change, left: readonly FileChange[], given: number): Part[] {
  if (left.length === 0) return [];
  const listed = left.slice(0, MAX_LISTED).map(lineOf);
  if (left.length > listed.length) listed.push(`… (${left.length - listed.length} more)`);
  const lead = `Not all of it fits here. The diff is in the file \`${place}\` too, and you can read it with the tools that read files. Read there what is left out here, by these lines:`;
  const more =
    beyond === null
      ? []
      : [
          ownPart(
            `${counted(beyond.bytes, "more byte")} of the diff, about ${counted(beyond.files - given, "file")}, are too much to be given to you: read these files themselves.`,
          ),
        ];
  const list = theirs("the list of what is left out", WORTH.files, "", listed.join("\n"), "text");
  return [ownPart(lead), ...list, ...more];
}

function lineOf({ path, first, last }: FileChange): string {
  return `${first}-${last} ${path === null ? "" : shortLine(path, 200)}`.trimEnd();
}
