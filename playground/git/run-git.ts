import { type ChildProcess, spawn } from "node:child_process";

/**
 * One plain `git` per question, always on a bare repository. What the machine's own configuration says must not change
 * how the look-alike answers, so that is off.
 */

export type GitOptions = {
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
  /** Exit codes that are answers, not accidents; 0 alone unless told. */
  readonly codes?: readonly number[];
};

export type GitResult = {
  readonly code: number;
  readonly bytes: Buffer;
  readonly stdout: string;
  readonly stderr: string;
};

export function gitEnvironment(extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: "/nonexistent",
    LC_ALL: "C",
    TZ: "UTC",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
    ...extra,
  };
}

export async function runGit(
  gitDir: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  const child = spawn("git", ["--git-dir", gitDir, ...args], {
    env: gitEnvironment(options.env),
    stdio: ["pipe", "pipe", "pipe"],
  });
  // git may end before it has read everything; its exit code tells the story, not our broken pipe.
  child.stdin.on("error", () => {});
  child.stdin.end(options.input ?? "");
  const [bytes, errors, code] = await Promise.all([
    readAll(child.stdout),
    readAll(child.stderr),
    exitCode(child),
  ]);
  const stderr = errors.toString("utf8");
  if (!(options.codes ?? [0]).includes(code)) {
    throw new Error(`failed to run git ${args.join(" ")} (exit code ${code}): ${stderr.trim()}`);
  }
  return { code, bytes, stdout: bytes.toString("utf8"), stderr };
}

/** The output without its final line break. */
export async function git(
  gitDir: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<string> {
  return (await runGit(gitDir, args, options)).stdout.replace(/\n$/, "");
}

/** Lines of the output; none for an empty one. */
export async function gitLines(
  gitDir: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<string[]> {
  const text = await git(gitDir, args, options);
  return text === "" ? [] : text.split("\n");
}

/** Fields of an output that was asked with `-z`. */
export async function gitFields(
  gitDir: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<string[]> {
  const { stdout } = await runGit(gitDir, args, options);
  return stdout === "" ? [] : stdout.replace(/\0$/, "").split("\0");
}

/** A name that came from outside, as an argument: git must never take it for an option. */
export function asRevision(name: string): string {
  if (name === "" || name.startsWith("-")) throw new Error(`failed to read "${name}" as a revision`);
  return name;
}

export async function exitCode(child: ChildProcess): Promise<number> {
  return await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 128));
  });
}

export async function readAll(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
