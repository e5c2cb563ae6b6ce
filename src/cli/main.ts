#!/usr/bin/env node
import { setFlagsFromString } from "node:v8";
import { outputTexts } from "../core/report/output-texts.ts";
import { systemReason } from "../wiring/system-reason.ts";
import { askPerson } from "./ask-person.ts";
import { explain, type Io, say } from "./io.ts";
import { openStandardOutput } from "./output/standard-output.ts";
import { readInput } from "./read-input.ts";
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
    kept = outputTexts.errandKept(file);
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
  else keepSmall();
  const { runCli } = await import("./run-cli.ts");
  return runCli(args, io);
}

/**
 * Beside people's own work memory counts more than the fifth of Loom's own time that collecting more often takes. It also makes
 * each start of a program cheaper, for which the system copies the map of Loom's memory. The limit of new space would do more,
 * but can only be given to Node itself, and not every system's `env` hands options on in a first line.
 */
function keepSmall(): void {
  for (const flag of ["--optimize-for-size", "--no-sparkplug"]) setFlagsFromString(flag);
}
