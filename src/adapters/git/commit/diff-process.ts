import { randomBytes } from "node:crypto";
import { InternalError } from "../../../core/errors.ts";
import { isSha, type Sha } from "../../../core/ids.ts";
import { createHelperProcess, type HelperChild, type Question } from "../run/helper-process.ts";

/**
 * One `git diff-tree --stdin` for all diffs of one kind. It prints a line that is no object name as it is, and at once: such a
 * line, which nobody could have known when the files were written, ends each answer.
 */
export type DiffProcess = {
  /** Hands over the diff of two trees as it is printed. */
  show(from: Sha, to: Sha, take: (chunk: Buffer) => void): Promise<void>;
  close(): Promise<void>;
};

export function createDiffProcess(start: () => HelperChild): DiffProcess {
  const helper = createHelperProcess("diff-tree", start);
  return {
    show(from, to, take) {
      if (!isSha(from) || !isSha(to)) throw new InternalError("a diff is of two trees");
      const end = `end-${randomBytes(16).toString("hex")}\n`;
      const text = `${from} ${to}\n`;
      return helper.ask({ text: `${text}${end}`, hear: hearDiff(text.length, end, take) });
    },
    close: () => helper.close(),
  };
}

/** Without the line in front, which repeats the question. */
function hearDiff(header: number, end: string, take: (chunk: Buffer) => void): Question<undefined>["hear"] {
  let toSkip = header;
  let held: Buffer = Buffer.alloc(0);
  return (chunk) => {
    let all = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
    const skipped = Math.min(toSkip, all.length);
    toSkip -= skipped;
    all = all.subarray(skipped);
    const at = all.indexOf(end);
    // The last of it may be the beginning of the end.
    const told = at >= 0 ? at : Math.max(0, all.length - end.length + 1);
    if (told > 0) take(all.subarray(0, told));
    held = all.subarray(told);
    return at >= 0 ? { answer: undefined, rest: all.subarray(at + end.length) } : null;
  };
}
