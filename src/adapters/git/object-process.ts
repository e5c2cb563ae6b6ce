import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { InternalError } from "../../core/errors.ts";
import type { GitObject, GitObjectInfo } from "../../ports/git.ts";
import { GitFailure } from "./git-failure.ts";

/**
 * One `git cat-file --batch-command` that answers question after question, since a process for each costs some 4 ms. It is started with the first question and ends a moment after the last; when Loom is killed, the end of its input ends it.
 * An object that is new is found all the same: git looks again for what it does not know.
 */
export type ObjectProcess = {
  /** null: there is no such object. */
  look(name: string): Promise<GitObjectInfo | null>;
  read(name: string): Promise<GitObject | null>;
  /** Resolves when no process is left. What is asked later is asked of another one. */
  close(): Promise<void>;
};

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

type Question = {
  readonly wants: "info" | "contents";
  resolve(answer: GitObject | null): void;
  reject(error: unknown): void;
};

const IDLE_MS = 1_000;
const NAME = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** `program` is a path: see `hostPrograms`. */
export function startObjectGit(
  program: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Child {
  return spawn(program, args, { cwd, env, stdio: "pipe", windowsHide: true });
}

export function createObjectProcess(start: () => Child): ObjectProcess {
  let current: Conversation | null = null;
  let latest: Conversation | null = null;

  function begin(): Conversation {
    const begun = converse(start(), () => {
      // Another one may have begun since this one was let go.
      if (current === begun) current = null;
    });
    latest = begun;
    return begun;
  }

  function ask(wants: Question["wants"], name: string): Promise<GitObject | null> {
    // A line of its own would be a question of its own.
    if (!NAME.test(name)) throw new InternalError(`${JSON.stringify(name)} is not an object name`);
    current ??= begin();
    return current.ask(wants, name);
  }

  return {
    look: (name) => ask("info", name),
    read: (name) => ask("contents", name),
    async close() {
      current = null;
      // It may have been let go a moment ago, and not be gone yet.
      await latest?.close();
    },
  };
}

type Conversation = {
  ask(wants: Question["wants"], name: string): Promise<GitObject | null>;
  close(): Promise<void>;
};

function converse(child: Child, onEnd: () => void): Conversation {
  const questions: Question[] = [];
  const answers = createAnswerReader();
  const errors: Buffer[] = [];
  let idle: NodeJS.Timeout | null = null;

  const end = (why: unknown): void => {
    onEnd();
    for (const question of questions.splice(0)) question.reject(why);
  };
  child.stdout.on("data", (chunk: Buffer) => {
    answers.push(chunk);
    for (let first = questions[0]; first; first = questions[0]) {
      const answer = answers.next(first.wants);
      if (answer === undefined) return;
      questions.shift();
      first.resolve(answer);
    }
    rest();
  });
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
  // What it could not be told, it did not answer; its end says so.
  child.stdin.on("error", () => undefined);
  child.on("error", end);
  child.on("close", (code) =>
    end(new GitFailure("cat-file", code ?? -2, Buffer.concat(errors).toString("utf8"))),
  );

  /** Nobody waits for it, so neither does Loom's own end. */
  function rest(): void {
    hold(child, false);
    idle = setTimeout(() => {
      onEnd();
      child.stdin.end();
    }, IDLE_MS).unref();
  }

  return {
    ask(wants, name) {
      if (idle) clearTimeout(idle);
      idle = null;
      hold(child, true);
      return new Promise((resolve, reject) => {
        questions.push({ wants, resolve, reject });
        child.stdin.write(`${wants} ${name}\n`);
      });
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      hold(child, true);
      // It answers what it was asked before it ends.
      child.stdin.end();
      await once(child, "close");
    },
  };
}

function hold(child: ChildProcess, isNeeded: boolean): void {
  for (const handle of [child, child.stdin, child.stdout, child.stderr] as unknown as NodeJS.Timeout[])
    if (isNeeded) handle.ref();
    else handle.unref();
}

/** Takes the answers apart: a line, and behind it as many bytes as the line says, with one more that ends them. */
function createAnswerReader() {
  let chunks: Buffer[] = [];
  let length = 0;

  const whole = (): Buffer => {
    const [only = Buffer.alloc(0)] = chunks;
    const all = chunks.length > 1 ? Buffer.concat(chunks) : only;
    chunks = [all];
    return all;
  };
  let header: GitObjectInfo | null = null;

  const take = (bytes: number): Buffer => {
    const all = whole();
    chunks = [all.subarray(bytes)];
    length -= bytes;
    return all.subarray(0, bytes);
  };

  return {
    push(chunk: Buffer): void {
      chunks.push(chunk);
      length += chunk.length;
    },
    /** undefined: it has not come in full yet. */
    next(wants: Question["wants"]): GitObject | null | undefined {
      if (!header) {
        const end = whole().indexOf(0x0a);
        if (end < 0) return undefined;
        const [, type = "", size = ""] = take(end + 1)
          .toString("utf8")
          .trimEnd()
          .split(" ");
        if (type === "missing") return null;
        header = { type, size: Number(size) };
        if (wants === "info") return done(Buffer.alloc(0));
      }
      if (length < header.size + 1) return undefined;
      return done(take(header.size + 1).subarray(0, -1));
    },
  };

  function done(content: Buffer): GitObject {
    const { type = "", size = 0 } = header ?? {};
    header = null;
    return { type, size, content };
  }
}
