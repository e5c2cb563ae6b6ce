import { gitEnvironment } from "../run-git.ts";
import type { Frame } from "../runner-frames.ts";
import { type RunningGit, startGit } from "../start-git.ts";

/**
 * One `git cat-file --batch-command` per repository answers what its objects are, and holds what it has read of commits:
 * the model asks for them all the time, and a process for each question costs more than the question. It goes when nobody
 * has asked for a while, and when the repository is closed; whoever asks then starts another.
 */
export type ObjectType = "blob" | "tree" | "commit" | "tag";
export type ObjectInfo = { readonly sha: string; readonly type: ObjectType; readonly size: number };
export type GitObject = ObjectInfo & { readonly bytes: Buffer };

export type ObjectReader = {
  /** What a name stands for. It must not be an abbreviation: git keeps a list of those, which grows old. */
  info(name: string): Promise<ObjectInfo | null>;
  read(name: string): Promise<GitObject | null>;
  /** What was made of an object before; objects never change. */
  readonly parsed: Map<string, unknown>;
  /** How far commits are from the beginning of history. */
  readonly heights: Map<string, number>;
};

type Question = {
  readonly line: string;
  resolve(found: GitObject | null): void;
  reject(error: Error): void;
};

const IDLE_MS = 10_000;
const HEAD = /^([0-9a-f]{40}) (blob|tree|commit|tag) (\d+)$/;

type Kept = ObjectReader & { close(): void };
const readers = new Map<string, Kept>();

export function objectsOf(gitDir: string): ObjectReader {
  const known = readers.get(gitDir);
  if (known) return known;
  const made = createReader(gitDir);
  readers.set(gitDir, made);
  return made;
}

/** Of all repositories below a folder. */
export function closeObjects(root: string): void {
  for (const [gitDir, reader] of readers) if (gitDir.startsWith(root)) reader.close();
}

function createReader(gitDir: string): Kept {
  const parsed = new Map<string, unknown>();
  let running: Promise<Conversation> | null = null;
  const idle = setTimeout(close, IDLE_MS);
  idle.unref();

  function close(): void {
    clearTimeout(idle);
    if (readers.get(gitDir) === reader) readers.delete(gitDir);
    running?.then((one) => one.end()).catch(() => {});
    running = null;
  }

  async function ask(command: "info" | "contents", name: string): Promise<GitObject | null> {
    if (name.includes("\n")) return null;
    idle.refresh();
    running ??= startConversation(gitDir);
    const current = running;
    try {
      return await (await current).ask(`${command} ${name}\n`);
    } catch (error) {
      // What was under way is lost; the next question starts git again.
      if (running === current) running = null;
      throw error;
    }
  }

  const reader: Kept = {
    parsed,
    heights: new Map(),
    info: (name) => ask("info", name),
    read: (name) => ask("contents", name),
    close,
  };
  return reader;
}

type Conversation = { ask(line: string): Promise<GitObject | null>; end(): void };

async function startConversation(gitDir: string): Promise<Conversation> {
  const running = await startGit(["--git-dir", gitDir, "cat-file", "--batch-command"], gitEnvironment());
  const asked: Question[] = [];
  let lost: Error | null = null;
  void listen();

  async function listen(): Promise<void> {
    try {
      for await (const found of readAnswers(running, asked)) {
        asked.shift()?.resolve(found);
        if (asked.length === 0) running.stdin.unref();
      }
      lost = new Error(`failed to read objects of ${gitDir}: git has ended`);
    } catch (error) {
      lost = new Error(`failed to read objects of ${gitDir}`, { cause: error });
    }
    for (const question of asked.splice(0)) question.reject(lost);
  }

  return {
    ask: (line) =>
      new Promise((resolve, reject) => {
        if (lost) return reject(lost);
        // Only what somebody waits for keeps this process alive.
        if (asked.length === 0) running.stdin.ref();
        asked.push({ line, resolve, reject });
        running.stdin.write(line);
      }),
    end: () => running.stdin.end(),
  };
}

/** A line per answer; after that of `contents` come as many bytes as it says, and a line break. */
async function* readAnswers(
  { frames }: RunningGit,
  asked: readonly Question[],
): AsyncGenerator<GitObject | null> {
  let left = Buffer.alloc(0);
  for await (const { kind, data } of frames as AsyncIterable<Frame>) {
    if (kind === "stderr") continue;
    if (kind !== "stdout") return;
    left = left.length === 0 ? Buffer.from(data) : Buffer.concat([left, data]);
    for (;;) {
      const end = left.indexOf("\n");
      if (end < 0) break;
      const match = HEAD.exec(left.toString("latin1", 0, end));
      const info = match && {
        sha: match[1] ?? "",
        type: match[2] as ObjectType,
        size: Number(match[3]),
      };
      const hasBytes = info !== null && asked[0]?.line.startsWith("contents ");
      const next = end + 1 + (hasBytes ? info.size + 1 : 0);
      if (left.length < next) break;
      yield info && { ...info, bytes: Buffer.from(hasBytes ? left.subarray(end + 1, next - 1) : []) };
      left = left.subarray(next);
    }
  }
}
