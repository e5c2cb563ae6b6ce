/**
 * A plugin that asks the sandbox's guard before each command. It imports nothing that would have to be installed, and it is
 * closed when in doubt: a guard that can't be started allows nothing.
 */
export function guardPlugin(guard: readonly [string, ...string[]]): string {
  const [program, ...args] = guard;
  return `import { spawnSync } from "node:child_process";

const SHELLS = new Set(["bash", "shell"]);

export const Loom = async () => ({
  "tool.execute.before": async (call, { args }) => {
    if (!SHELLS.has(call.tool)) return;
    const input = JSON.stringify({ tool: call.tool, command: args?.command ?? null });
    const options = { input, encoding: "utf8", stdio: ["pipe", "ignore", "pipe"] };
    const answer = spawnSync(${JSON.stringify(program)}, ${JSON.stringify(args)}, options);
    if (answer.status === 0) return;
    const reason = (answer.stderr ?? "").trim();
    throw new Error(reason || "Loom could not be asked about this command, so it is not allowed.");
  },
});
`;
}
