import { InternalError } from "../../../core/errors.ts";
import type { GitObject, GitObjectInfo } from "../../../ports/git.ts";
import { createHelperProcess, type HelperChild, type Question } from "../run/helper-process.ts";

/**
 * One `git cat-file --batch-command` for all questions about objects. An object that is new is found all the same: git looks
 * again for what it does not know.
 */
export type ObjectProcess = {
  /** null: there is no such object. */
  look(name: string): Promise<GitObjectInfo | null>;
  read(name: string): Promise<GitObject | null>;
  /** Resolves when no process is left. What is asked later is asked of another one. */
  close(): Promise<void>;
};

const NAME = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const NOTHING = Buffer.alloc(0);

export function createObjectProcess(start: () => HelperChild): ObjectProcess {
  const helper = createHelperProcess("cat-file", start);

  function ask(wants: "info" | "contents", name: string): Promise<GitObject | null> {
    // A line of its own would be a question of its own.
    if (!NAME.test(name)) throw new InternalError(`${JSON.stringify(name)} is not an object name`);
    return helper.ask({ text: `${wants} ${name}\n`, hear: hearAnswer(wants) });
  }

  return {
    look: (name) => ask("info", name),
    read: (name) => ask("contents", name),
    close: () => helper.close(),
  };
}

/** A line, and behind it as many bytes as the line says, with one more that ends them. */
function hearAnswer(wants: "info" | "contents"): Question<GitObject | null>["hear"] {
  let chunks: Buffer[] = [];
  let length = 0;
  let header: GitObjectInfo | null = null;

  return (chunk) => {
    chunks.push(chunk);
    length += chunk.length;
    // Put together once for the line, and once for all that follows it.
    if (header && length < header.size + 1) return null;
    let all = chunks.length > 1 ? Buffer.concat(chunks) : chunk;
    chunks = [all];
    if (!header) {
      const end = all.indexOf(0x0a);
      if (end < 0) return null;
      const [, type = "", size = ""] = all.toString("utf8", 0, end).split(" ");
      all = all.subarray(end + 1);
      if (type === "missing") return { answer: null, rest: all };
      header = { type, size: Number(size) };
      if (wants === "info") return { answer: { ...header, content: NOTHING }, rest: all };
      chunks = [all];
      length = all.length;
    }
    if (length < header.size + 1) return null;
    const answer = { ...header, content: all.subarray(0, header.size) };
    return { answer, rest: all.subarray(header.size + 1) };
  };
}
