#!/usr/bin/env node
import { askPerson } from "./ask-person.ts";
import { readInput } from "./read-input.ts";
import { runCli } from "./run-cli.ts";

// A reader that leaves, as in `loom runs | head`, must neither end a run nor show up as an error; and when nothing can be
// written for another reason, there is no place left to say so.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

process.exitCode = await runCli(process.argv.slice(2), {
  cwd: process.cwd(),
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  readInput: (maxBytes) => readInput(process.stdin, maxBytes),
  ask: process.stdin.isTTY && process.stdout.isTTY ? askPerson : null,
});
