import { spawn } from "node:child_process";
import { join } from "node:path";
import { compileSources } from "../../../support/compile-sources.ts";

export type Ended = { code: number | null; signal: string | null; out: string; err: string };

/** The programs that run inside of sandboxes, in JavaScript. */
export async function compilePrograms(): Promise<{ relay: string; guard: string; dispose(): Promise<void> }> {
  const names = ["relay", "guard"];
  const { root, dispose } = await compileSources(
    names.map((name) => `src/adapters/sandbox/gateway/${name}.ts`),
  );
  const at = (name: string): string => join(root, `src/adapters/sandbox/gateway/${name}.js`);
  return { relay: at("relay"), guard: at("guard"), dispose };
}

export function start(
  argv: readonly string[],
  options: { env?: Record<string, string>; stdin?: string; cwd?: string } = {},
): {
  pid: number;
  ended: Promise<Ended>;
  says(text: string): Promise<void>;
  kill(signal: NodeJS.Signals): void;
} {
  const [program = "", ...args] = argv;
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  let out = "";
  let err = "";
  const looks = new Set<() => void>();
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk;
    for (const look of looks) look();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    err += chunk;
  });
  child.stdin.on("error", () => {});
  child.stdin.end(options.stdin ?? "");
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, out, err }));
  });
  const says = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => void (out.includes(text) && resolve());
      looks.add(look);
      look();
    });
  return { pid: child.pid ?? 0, ended, says, kill: (signal) => void child.kill(signal) };
}
