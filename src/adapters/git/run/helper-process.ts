import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { GitFailure } from "./git-failure.ts";

/**
 * A git that answers question after question, since a process for each costs some 4 ms. It is started with the first question
 * and ends a moment after the last; when Loom is killed, the end of its input ends it.
 */
export type HelperProcess = {
  ask<T>(question: Question<T>): Promise<T>;
  /** Resolves when no process is left. What is asked later is asked of another one. */
  close(): Promise<void>;
};

export type Question<T> = {
  /** Written to the process. */
  readonly text: string;
  /** Hears what the process prints; says the answer once it is whole, and what came behind it. */
  hear(chunk: Buffer): { readonly answer: T; readonly rest: Buffer } | null;
};

export type HelperChild = ChildProcessByStdio<Writable, Readable, Readable>;

type Waiting = {
  hear(chunk: Buffer): Buffer | null;
  reject(error: unknown): void;
};

const IDLE_MS = 1_000;

/** `program` is a path: see `hostPrograms`. */
export function startHelper(
  program: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): HelperChild {
  return spawn(program, args, { cwd, env, stdio: "pipe", windowsHide: true });
}

/** `command`: what its failures are called. */
export function createHelperProcess(command: string, start: () => HelperChild): HelperProcess {
  let current: Conversation | null = null;
  let latest: Conversation | null = null;

  function begin(): Conversation {
    const begun = converse(command, start(), () => {
      // Another one may have begun since this one was let go.
      if (current === begun) current = null;
    });
    latest = begun;
    return begun;
  }

  return {
    ask(question) {
      current ??= begin();
      return current.ask(question);
    },
    async close() {
      current = null;
      // It may have been let go a moment ago, and not be gone yet.
      await latest?.close();
    },
  };
}

type Conversation = HelperProcess;

function converse(command: string, child: HelperChild, onEnd: () => void): Conversation {
  const questions: Waiting[] = [];
  const errors: Buffer[] = [];
  let idle: NodeJS.Timeout | null = null;

  const end = (why: unknown): void => {
    onEnd();
    for (const question of questions.splice(0)) question.reject(why);
  };
  child.stdout.on("data", (chunk: Buffer) => {
    let unheard = chunk;
    for (let first = questions[0]; first; first = questions[0]) {
      const rest = first.hear(unheard);
      if (rest === null) return;
      questions.shift();
      unheard = rest;
      if (unheard.length === 0) break;
    }
    if (questions.length === 0) letRest();
  });
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
  // What it could not be told, it did not answer; its end says so.
  child.stdin.on("error", () => undefined);
  child.on("error", end);
  child.on("close", (code) =>
    end(new GitFailure(command, code ?? -2, Buffer.concat(errors).toString("utf8"))),
  );

  /** Nobody waits for it, so neither does Loom's own end. */
  function letRest(): void {
    hold(child, false);
    idle = setTimeout(() => {
      onEnd();
      child.stdin.end();
    }, IDLE_MS).unref();
  }

  return {
    ask<T>({ text, hear }: Question<T>) {
      if (idle) clearTimeout(idle);
      idle = null;
      hold(child, true);
      return new Promise<T>((resolve, reject) => {
        questions.push({
          hear(chunk) {
            const heard = hear(chunk);
            if (heard === null) return null;
            resolve(heard.answer);
            return heard.rest;
          },
          reject,
        });
        child.stdin.write(text);
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
