import { type RunningGit, startGit } from "./start-git.ts";

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
  const running = await startGit(["--git-dir", gitDir, ...args], gitEnvironment(options.env));
  running.stdin.end(options.input ?? "");
  const parts = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  const code = await exitCode(running, ({ kind, data }) => void parts[kind].push(data));
  // No exit code stands for that: to some questions every code is an answer.
  if (code === null) throw new Error(`failed to run git ${args.join(" ")}: its runner is gone`);
  const bytes = Buffer.concat(parts.stdout);
  const stderr = Buffer.concat(parts.stderr).toString("utf8");
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

export type Output = { readonly kind: "stdout" | "stderr"; readonly data: Buffer };

/** Hands over what git writes until it has ended; null when who asked has hung up, or the runner is gone. */
export async function exitCode(
  { frames }: RunningGit,
  take: (output: Output) => void | Promise<void>,
): Promise<number | null> {
  for await (const { kind, data } of frames) {
    if (kind === "exit") return Number(data.toString());
    if (kind === "failed") throw new Error(`failed to start git: ${data}`);
    await take({ kind, data });
  }
  return null;
}
