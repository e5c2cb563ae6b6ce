import { CommanderError } from "commander";
import { messageOf, UserError } from "../core/errors.ts";
import { nextWords } from "../core/report/texts/next-words.ts";
import { createRedactor } from "../core/secrets/redact.ts";
import { buildProgram } from "./build-program.ts";
import { sourceLines } from "./input/source-lines.ts";
import { explain, type Io, warn } from "./io.ts";
import { settledIo } from "./settled-io.ts";

/** Runs one command line and resolves with the exit code; nothing in here ends the process. */
export async function runCli(args: readonly string[], io: Io): Promise<number> {
  let code = 0;
  // What a command sees of its environment is completed from files just before it acts.
  const scene = { ...io };
  const program = buildProgram(scene, (result) => {
    code = result;
  }).hook("preAction", async (_program, command) => {
    Object.assign(scene, await settledIo(io, command.name()));
  });
  try {
    await program.parseAsync(args, { from: "user" });
    return code;
  } catch (error) {
    return report(scene, error);
  }
}

function report(io: Io, error: unknown): number {
  // Commander has said its sentence already; asking for help or the version is no mistake.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  // What git or a system says may quote an address with a password, or a variable.
  const redact = createRedactor(io.env);
  if (error instanceof UserError) {
    explain(io, redact(error.message), redact(nextWords(error.next, "terminal")) || null);
    return error.exitCode;
  }
  explain(
    io,
    `Something went wrong inside Loom: ${redact(messageOf(error))}`,
    "What was merged or written down so far is kept. LOOM_DEBUG=1 shows where it happened.",
  );
  if (io.env.LOOM_DEBUG && error instanceof Error) warn(io, redact(sourceLines(error.stack ?? "")));
  return 1;
}
