import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Command, CommanderError, InvalidArgumentError } from "commander";
import { messageOf, UserError } from "../core/errors.ts";
import { errandUsage } from "../core/report/errand-usage.ts";
import { createRedactor } from "../core/report/redact.ts";
import { packageRoot } from "../wiring/package-root.ts";
import { branchName } from "./branch-name.ts";
import { archive } from "./commands/archive.ts";
import { clean } from "./commands/clean.ts";
import { doctor } from "./commands/doctor.ts";
import { drill } from "./commands/drill.ts";
import { map } from "./commands/map.ts";
import { planCheck } from "./commands/plan-check.ts";
import { report as writeReport } from "./commands/report.ts";
import { run } from "./commands/run.ts";
import { settings } from "./commands/settings.ts";
import { logs, runs, status } from "./commands/status.ts";
import { answer, cancel, resume, retry, skip } from "./commands/steer.ts";
import { addErrandCommands } from "./errand-commands.ts";
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
    explain(io, redact(error.message), error.next && redact(error.next));
    return error.exitCode;
  }
  explain(
    io,
    `Something went wrong inside Loom: ${redact(messageOf(error))}`,
    "What was merged or written down so far is kept. LOOM_DEBUG=1 shows where it happened.",
  );
  if (io.env.LOOM_DEBUG && error instanceof Error) warn(io, redact(error.stack ?? ""));
  return 1;
}

const RUN_HELP = `
Agents:
  claude, codex, gemini, opencode
                      the CLIs of these names; \`loom doctor\` says what each needs
  command             the program that LOOM_COMMAND_BIN names, with the arguments in
                      LOOM_COMMAND_ARGS; it works in the current folder and reads its
                      task from standard input
  scripted            follows the file that LOOM_SCRIPT names; no model is at work

Exit codes: 0 completed, 1 failed or blocked, 2 wrong usage, 130 interrupted.
`;

const DRILL_HELP = `
Without a sandbox no attack is started that needs one; each of them counts as open.

Exit codes: 0 every wall held, 1 one did not, 2 wrong usage, 130 interrupted.
`;

function buildProgram(io: Io, done: (code: number) => void): Command {
  const act =
    <A extends unknown[]>(command: (...args: A) => Promise<number>) =>
    async (...args: A): Promise<void> =>
      done(await command(...args));

  const program = new Command("loom")
    .description(
      "Runs a plan of stages with coding agents in git work trees, proves each stage and merges it. `loom app` does so for GitHub.",
    )
    .version(version(), "-V, --version")
    .exitOverride()
    .showSuggestionAfterError()
    .showHelpAfterError("Add --help to see how it is used.")
    // That a flag is off unless it is given goes without saying.
    .configureHelp({ optionDescription: (option) => option.description })
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
    });

  const plan = program.command("plan").description("work with plans");
  plan
    .command("check")
    .description("report every problem of a plan, its levels and its critical path")
    .argument("<file>", "a Markdown file with a loom block, or a folder of unit files")
    .option("--json", "print one JSON object", false)
    .action(act((file: string, options: { json: boolean }) => planCheck(io, file, options)));

  addErrandCommands(program, plan, io, act);

  program
    .command("run")
    .alias("execute")
    .description("run a plan to the end in this repository")
    .argument("<file>", "the plan")
    .option("--into <branch>", errandUsage.into, branchName)
    .option("--harness <name>", "use this agent for every stage, whatever the plan says")
    .option("--max-parallel <n>", "agents at a time", positiveInteger)
    .option("--clean", "start over, forgetting an earlier run of this plan", false)
    .option("--json", "print one event per line", false)
    .addHelpText("after", RUN_HELP)
    .action(
      act(
        (
          file: string,
          options: { into?: string; harness?: string; maxParallel?: number; clean: boolean; json: boolean },
        ) =>
          run(io, file, {
            into: options.into ?? null,
            harness: options.harness ?? null,
            maxParallel: options.maxParallel ?? null,
            clean: options.clean,
            json: options.json,
          }),
      ),
    );

  program
    .command("status")
    .description("show a run, the newest when none is named")
    .argument("[run]")
    .option("--live", "keep watching", false)
    .option("--all", "also one that is put away", false)
    .option("--json", "print JSON", false)
    .action(
      act((name: string | undefined, options: { live: boolean; json: boolean; all: boolean }) =>
        status(io, name, options),
      ),
    );

  program
    .command("runs")
    .description("list the runs of this repository")
    .option("--all", "also those that are put away", false)
    .option("--json", "print one JSON object per run", false)
    .action(act((options: { json: boolean; all: boolean }) => runs(io, options)));

  program
    .command("logs")
    .description("show what the agents wrote")
    .argument("<run>")
    .argument("[stage]")
    .action(act((name: string, stage: string | undefined) => logs(io, name, stage)));

  program
    .command("report")
    .description("write a run as an HTML page, the newest when none is named")
    .argument("[run]")
    .option("--out <file>", "write it there instead of loom-<run>.html in this folder")
    .action(
      act((name: string | undefined, options: { out?: string }) =>
        writeReport(io, name, { out: options.out ?? null }),
      ),
    );

  program
    .command("resume")
    .description("go on with a run, the newest open one when none is named")
    .argument("[run]")
    .option("--json", "print one event per line", false)
    .action(act((name: string | undefined, options: { json: boolean }) => resume(io, name, options)));

  for (const [verb, text, command] of [
    ["retry", "give a blocked stage another set of attempts", retry],
    ["skip", "leave a stage out; what depends on it goes on", skip],
  ] as const) {
    program
      .command(verb)
      .description(text)
      .argument("<run>")
      .argument("<stage>")
      .option("--json", "print one event per line", false)
      .action(
        act((name: string, stage: string, options: { json: boolean }) => command(io, name, stage, options)),
      );
  }

  program
    .command("answer")
    .description("answer the question a stage has asked")
    .argument("<run>")
    .argument("<stage>")
    .argument("<text>")
    .option("--json", "print one event per line", false)
    .action(
      act((name: string, stage: string, text: string, options: { json: boolean }) =>
        answer(io, name, stage, text, options),
      ),
    );

  program
    .command("cancel")
    .description("end a run; what is merged stays merged")
    .argument("<run>")
    .option("--json", "print one event per line", false)
    .action(act((name: string, options: { json: boolean }) => cancel(io, name, options)));

  program
    .command("archive")
    .description("put a run away that has ended; its record stays")
    .argument("<run>")
    .action(act((name: string) => archive(io, name)));

  program
    .command("clean")
    .description("forget a run that has ended; what it merged stays")
    .argument("<run>")
    .action(act((name: string) => clean(io, name)));

  program
    .command("doctor")
    .description("say what is missing on this machine and in this repository")
    .option("--json", "print JSON", false)
    .action(act((options: { json: boolean }) => doctor(io, options)));

  program
    .command("drill")
    .description("play a hostile agent's attacks against this installation")
    .option("--json", "print one JSON object", false)
    .addHelpText("after", DRILL_HELP)
    .action(act((options: { json: boolean }) => drill(io, options)));

  program
    .command("map")
    .description("show what the files of this repository tell about it, as planners see it")
    .option("--json", "print JSON", false)
    .action(act((options: { json: boolean }) => map(io, options)));

  program
    .command("settings")
    .description("show every setting and where its value comes from")
    .option("--json", "print one JSON object per setting", false)
    .action(act((options: { json: boolean }) => settings(io, options)));

  // Loaded when asked for: Probot takes half a second that no other command has to wait for.
  program
    .command("app")
    .description("take GitHub's webhooks; without REDIS_URL it runs the agents as well")
    .action(act(async () => (await import("./commands/serve.ts")).app(io)));

  program
    .command("worker")
    .description("run agents for an App that shares its Redis")
    .action(act(async () => (await import("./commands/serve.ts")).worker(io)));

  return program;
}

function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError("It has to be a whole number of at least 1.");
  return value;
}

function version(): string {
  const parsed: unknown = JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8"));
  return typeof parsed === "object" && parsed !== null && "version" in parsed
    ? String(parsed.version)
    : "unknown";
}
