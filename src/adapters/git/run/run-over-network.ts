import { spawn } from "node:child_process";
import { InternalError } from "../../../core/errors.ts";
import type { GitAnswer, GitCall, GitPlace, NetworkAccess } from "../../../ports/git.ts";
import { gitArguments } from "./git-arguments.ts";
import { gitEnvironment } from "./git-environment.ts";
import { networkEnvironment, withoutToken } from "./network-environment.ts";

/**
 * The calls that carry a token. They don't go through simple-git, because it prints the whole environment of what it
 * starts as soon as somebody sets DEBUG to look for something else. All other rules are the same.
 */
export async function runOverNetwork(
  program: string,
  place: GitPlace,
  access: NetworkAccess,
  call: GitCall,
  outer: NodeJS.ProcessEnv,
): Promise<GitAnswer & { readonly args: readonly string[]; readonly ms: number }> {
  if (place.settings !== "own" || place.gitDir === undefined) {
    throw new InternalError(`git ${call.command} with a token needs a git directory of Loom's own`);
  }
  const env = { ...gitEnvironment(place, call, outer), ...networkEnvironment(access, outer) };
  const args = gitArguments(call, access.url);
  const started = performance.now();
  const { code, stdout, stderr } = await start(program, args, place.cwd, env, call.input);
  return {
    args,
    ms: performance.now() - started,
    code,
    stdout: withoutToken(stdout, access.token),
    stderr: withoutToken(stderr, access.token),
  };
}

function start(
  program: string,
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
  input = "",
): Promise<GitAnswer> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env, stdio: "pipe", windowsHide: true });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    const settle = (code: number, more = ""): void =>
      resolve({
        code,
        stdout: Buffer.concat(out).toString("utf8"),
        stderr: `${Buffer.concat(err).toString("utf8")}${more}`,
      });
    // A negative code is one that no program ends with.
    child.on("error", (error) => settle(-1, String(error)));
    child.on("close", (code, signal) => settle(code ?? -2, signal === null ? "" : `ended by ${signal}`));
    // It may end before it has read all of its input.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}
