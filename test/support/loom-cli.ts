import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { readInput } from "../../src/cli/input/read-input.ts";
import { runCli } from "../../src/cli/run-cli.ts";

const CLI = resolve(import.meta.dirname, "../../dist/src/cli/main.js");

/** One JSON line of `loom run --json`. */
export type Line = { readonly type: string; readonly [field: string]: unknown };

export type Finished = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly lines: readonly Line[];
};

export type LoomOptions = {
  readonly cwd: string;
  /** What the agent does, as a shell script; it runs in the stage's work tree. */
  readonly agent?: string | undefined;
  readonly env?: Readonly<Record<string, string>>;
  /** Who sits at the terminal: what they are asked, and what they say; null: they leave. Only within this process. */
  readonly person?: (question: string) => string | null;
  /** Standard input. Only within this process. */
  readonly input?: string | Uint8Array;
  /** An open file in the place of what is read as `stdout`. Only as a process of its own. */
  readonly stdout?: number;
  /** Leaves in what it says about the missing sandbox, which these tests do without. */
  readonly whole?: boolean;
};

/** What a run without a sandbox begins with. */
export const NO_SANDBOX_NOTE =
  "No sandbox: agents and checks run with your rights and can read your files and use your network. Set LOOM_SANDBOX=auto to have one.";
const HIDDEN_LINES = [NO_SANDBOX_NOTE, JSON.stringify({ type: "notice", text: NO_SANDBOX_NOTE })];

/** `loom` as a process of its own, started the way a person starts it. */
export class LoomProcess {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  readonly lines: Line[] = [];
  private readonly waiting = new Set<{
    test: (line: Line) => boolean;
    resolve: (line: Line) => void;
    reject: (error: Error) => void;
  }>();

  constructor(args: readonly string[], options: LoomOptions) {
    let stdout = "";
    let stderr = "";
    this.child = spawn(process.execPath, [CLI, ...args], {
      cwd: options.cwd,
      env: environment(options),
      stdio: ["ignore", options.stdout ?? "pipe", "pipe"],
    });
    this.child.stderr?.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    if (this.child.stdout) {
      createInterface({ input: this.child.stdout }).on("line", (text) => {
        if (!options.whole && HIDDEN_LINES.includes(text)) return;
        stdout += `${text}\n`;
        if (text.startsWith("{")) this.take(JSON.parse(text) as Line);
      });
    }
    this.finished = new Promise((done, fail) => {
      this.child.on("error", fail);
      this.child.on("close", (code, signal) => {
        for (const one of this.waiting)
          one.reject(new Error(`loom ended before that line came\n${stdout}\n${stderr}`));
        done({ code, signal, stdout, stderr, lines: this.lines });
      });
    });
  }

  private take(line: Line): void {
    this.lines.push(line);
    for (const one of this.waiting) {
      if (!one.test(line)) continue;
      this.waiting.delete(one);
      one.resolve(line);
    }
  }

  /** The first line like this, from the start or yet to come. */
  line(test: (line: Line) => boolean): Promise<Line> {
    const found = this.lines.find(test);
    if (found) return Promise.resolve(found);
    return new Promise((done, reject) => this.waiting.add({ test, resolve: done, reject }));
  }

  event(type: string, stage?: string): Promise<Line> {
    return this.line((line) => line.type === type && (stage === undefined || line.stage === stage));
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }
}

export function startLoom(args: readonly string[], options: LoomOptions): LoomProcess {
  return new LoomProcess(args, options);
}

export function loom(args: readonly string[], options: LoomOptions): Promise<Finished> {
  return new LoomProcess(args, options).finished;
}

/** The same within this process, which spares the start of a program: for commands that look, and to prepare a scene. */
export async function askLoom(
  args: readonly string[],
  options: LoomOptions,
): Promise<Pick<Finished, "code" | "stdout" | "stderr">> {
  const { person, input } = options;
  const said = { stdout: "", stderr: "" };
  const into = (name: "stdout" | "stderr") => ({
    write(text: string) {
      said[name] += text;
      return true;
    },
    on: () => {},
    off: () => {},
  });
  const code = await runCli(args, {
    cwd: options.cwd,
    env: environment(options),
    stdout: into("stdout"),
    stderr: into("stderr"),
    ...(person ? { ask: async (question: string) => person(question) } : {}),
    ...(input === undefined ? {} : { readInput: (max: number) => readInput(Readable.from([input]), max) }),
  });
  return { code, stdout: options.whole ? said.stdout : withoutHidden(said.stdout), stderr: said.stderr };
}

function withoutHidden(text: string): string {
  return text
    .split("\n")
    .filter((line) => !HIDDEN_LINES.includes(line))
    .join("\n");
}

function environment({ cwd, agent, env }: LoomOptions): Record<string, string> {
  return {
    ...cleanEnv(),
    LOOM_TREES: join(cwd, "..", "trees"),
    LOOM_SANDBOX: "off",
    ...agentEnv(agent),
    ...env,
  };
}

/** The last line of `loom run --json`. */
export function ending(finished: Pick<Finished, "stdout">): {
  type: string;
  run: string;
  status: string;
  stages: Record<string, { state: string; attempts: number; commit: string | null; merged: string | null }>;
  elapsedMs: number;
} {
  return JSON.parse(finished.stdout.trimEnd().split("\n").at(-1) ?? "{}");
}

function agentEnv(agent: string | undefined): Record<string, string> {
  return agent === undefined
    ? {}
    : { LOOM_COMMAND_BIN: "/bin/sh", LOOM_COMMAND_ARGS: JSON.stringify(["-c", agent]) };
}

function cleanEnv(): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !/^(LOOM|GIT)_|^(CI|NO_COLOR|FORCE_COLOR)$/.test(entry[0]),
  );
  return Object.fromEntries(kept);
}

/** Processes whose environment holds this text; for proving that nothing is left behind. */
export function processesWith(text: string): number[] {
  if (!existsSync("/proc/self/environ")) throw new Error("this test needs /proc");
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => readEnviron(name).includes(text))
    .map(Number);
}

function readEnviron(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}
