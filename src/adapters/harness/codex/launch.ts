import { join } from "node:path";
import type { SessionSpec } from "../../../ports/harness.ts";
import type { Launch, LaunchOrder } from "../cli/cli.ts";
import { putFile } from "../cli/put-file.ts";
import { codexConfig, KEY_VARIABLE } from "./config.ts";

/** Options stand before `resume`, which does not know all of them. */
export async function launchCodex(order: LaunchOrder): Promise<Launch> {
  const { spec, sandbox, bin, model, extraArgs, placeholder } = order;
  const home = codexHome(sandbox.home);
  await putFile(sandbox.home, join(home, "config.toml"), codexConfig(order));
  // Hooks that an agent left there would run in its next session, past the guard.
  await putFile(sandbox.home, join(home, "hooks.json"), "{}\n");
  return {
    argv: [
      ...startOf(bin, spec),
      "--json",
      "-C",
      spec.tree,
      "--skip-git-repo-check",
      // Hooks of people are trusted by hand, once; without this the guard would silently be left out.
      ...(sandbox.guard === null ? [] : ["--dangerously-bypass-hook-trust"]),
      ...(model === null ? [] : ["-m", model]),
      ...extraArgs,
      ...(spec.resume === null ? [] : ["resume", spec.resume]),
      "-",
    ],
    // Below the folder for temporary files codex would not put the helpers that its sandbox needs into its home.
    env: { CODEX_HOME: home, TMPDIR: sandbox.tmp, [KEY_VARIABLE]: placeholder },
    stdin: spec.task,
  };
}

export function codexHome(home: string): string {
  return join(home, ".codex");
}

/**
 * Codex reads files by running commands, so it gets its shell for reading as well: what keeps an agent from writing is the
 * tree. Codex's own sandbox can't be set up within a sandbox that isolates. There the tree can't be written anyway; where it
 * can be, codex's sandbox is what keeps it as it is. Only inside the sandbox is it known which of the two it is.
 *
 * For `read` and `edit` the guard lets through no command but those that read, see `reading-judge.ts`. The patch tool is always offered,
 * also where what it writes is refused.
 */
const READ_ONLY = [
  'if [ -w "$1" ]; then mode=read-only; else mode=danger-full-access; fi',
  "bin=$2",
  "shift 2",
  'exec "$bin" exec -s "$mode" "$@"',
].join("; ");

function startOf(bin: string, { tools, tree }: SessionSpec): [string, ...string[]] {
  switch (tools) {
    case "all":
    case "edit":
      return [bin, "exec", "--dangerously-bypass-approvals-and-sandbox"];
    case "shell":
    case "read":
      return ["/bin/sh", "-c", READ_ONLY, "sh", tree, bin];
    case "none":
      return [bin, "exec", "-s", "read-only"];
  }
}
