import type { CheckSandbox } from "../verify/check-sandbox.ts";
import { runToEnd } from "./run-command.ts";

/** Written by a program in the sandbox, so that a link on the way leads no further than any command could go. */
export async function layFile(
  sandbox: CheckSandbox,
  tree: string,
  path: string,
  text: string,
): Promise<void> {
  const { exit, output } = await runToEnd(
    sandbox,
    {
      argv: ["sh", "-c", 'rm -rf -- "$FILE" && mkdir -p -- "$(dirname -- "$FILE")" && cat > "$FILE"'],
      cwd: tree,
      env: { FILE: `./${path}` },
      stdin: text,
    },
    { timeoutMs: 60_000, tailBytes: 4096, graceMs: 1000 },
  );
  if (exit.kind !== "exited" || exit.code !== 0)
    throw new Error(`failed to lay ${path} on the base: ${output || exit.kind}`);
}
