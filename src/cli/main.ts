#!/usr/bin/env node
import { outputTexts } from "../core/report/commands/output-texts.ts";
import { systemReason } from "../wiring/system-reason.ts";
import { askPerson } from "./input/ask-person.ts";
import { readInput } from "./input/read-input.ts";
import { explain, type Io, say } from "./io.ts";
import { keepSmall } from "./keep-small.ts";
import { openStandardOutput } from "./output/standard-output.ts";
import { VERSION } from "./version.ts";

// What can't be said here has no other place to be said in.
process.stderr.on("error", () => {});
const output = openStandardOutput(process.stdout);
let kept: string | null = null;

const io: Io = {
  cwd: process.cwd(),
  env: process.env,
  stdout: output.stream,
  stderr: process.stderr,
  readInput: (maxBytes) => readInput(process.stdin, maxBytes),
  ask: process.stdin.isTTY && process.stdout.isTTY ? askPerson : null,
  keptIn: (file) => {
    kept = outputTexts.taskKept(file);
  },
};
const code = await act(process.argv.slice(2));
const trouble = await output.settle();
if (trouble) explain(io, outputTexts.lost(systemReason(trouble)), kept ?? outputTexts.lostNext());
// Whatever else went wrong says more than that it could not be told.
process.exitCode = trouble && code === 0 ? 1 : code;

async function act(args: readonly string[]): Promise<number> {
  const [first = ""] = args;
  // Asked by scripts and by people who only look whether it is there: nothing has to be loaded for that.
  if (first === "--version" || first === "-V") {
    say(io, VERSION);
    return 0;
  }
  // A log that people send has lines of the sources in it. To read where they are takes longer than most commands do.
  if (first === "app" || first === "worker") process.setSourceMapsEnabled(true);
  if (first === "run" || first === "resume") keepSmall();
  const { runCli } = await import("./run-cli.ts");
  return runCli(args, io);
}
