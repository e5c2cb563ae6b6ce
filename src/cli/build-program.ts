import { Command, InvalidArgumentError } from "commander";
import { taskUsage } from "../core/report/commands/task-usage.ts";
import { branchName } from "./input/branch-name.ts";
import type { Io } from "./io.ts";
import { addTaskCommands } from "./task-commands.ts";
import { VERSION } from "./version.ts";

const withAgents = () => import("./commands/with-agents.ts");
const serve = () => import("./commands/serve.ts");

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

Exit codes: 0 every defence held, 1 one did not, 2 wrong usage, 130 interrupted.
`;

/**
 * What can be asked for, and how. What a command does is loaded once it is: most commands are short, and would wait for the
 * code of all others.
 */
export function buildProgram(io: Io, done: (code: number) => void): Command {
  const act =
    <A extends unknown[]>(command: (...args: A) => Promise<number>) =>
    async (...args: A): Promise<void> =>
      done(await command(...args));

  const program = new Command("loom")
    .description(
      "Runs a plan of stages with coding agents in git work trees, proves each stage and merges it. `loom app` does so for GitHub.",
    )
    .version(VERSION, "-V, --version")
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
    .action(
      act(async (file: string, options: { json: boolean }) =>
        (await import("./commands/plan-check.ts")).planCheck(io, file, options),
      ),
    );

  addTaskCommands(program, plan, io, act);

  program
    .command("run")
    .alias("execute")
    .description("run a plan to the end in this repository")
    .argument("<file>", "the plan")
    .option("--into <branch>", taskUsage.into, branchName)
    .option("--harness <name>", "use this agent for every stage, whatever the plan says")
    .option("--max-parallel <n>", "agents at a time", positiveInteger)
    .option("--clean", "start over, forgetting an earlier run of this plan", false)
    .option("--json", "print one event per line", false)
    .addHelpText("after", RUN_HELP)
    .action(
      act(
        async (
          file: string,
          options: { into?: string; harness?: string; maxParallel?: number; clean: boolean; json: boolean },
        ) =>
          (await withAgents()).run(io, file, {
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
    .option("--all", "also one that is archived", false)
    .option("--json", "print JSON", false)
    .action(
      act(async (name: string | undefined, options: { live: boolean; json: boolean; all: boolean }) =>
        (await withAgents()).status(io, name, options),
      ),
    );

  program
    .command("runs")
    .description("list the runs of this repository")
    .option("--all", "also those that are archived", false)
    .option("--json", "print one JSON object per run", false)
    .action(act(async (options: { json: boolean; all: boolean }) => (await withAgents()).runs(io, options)));

  program
    .command("logs")
    .description("show what the agents wrote")
    .argument("<run>")
    .argument("[stage]")
    .action(
      act(async (name: string, stage: string | undefined) => (await withAgents()).logs(io, name, stage)),
    );

  program
    .command("report")
    .description("write a run as an HTML page, the newest when none is named")
    .argument("[run]")
    .option("--out <file>", "write it there instead of loom-<run>.html in this folder")
    .action(
      act(async (name: string | undefined, options: { out?: string }) =>
        (await withAgents()).report(io, name, { out: options.out ?? null }),
      ),
    );

  program
    .command("resume")
    .description("go on with a run, the newest open one when none is named")
    .argument("[run]")
    .option("--json", "print one event per line", false)
    .action(
      act(async (name: string | undefined, options: { json: boolean }) =>
        (await withAgents()).resume(io, name, options),
      ),
    );

  for (const [verb, text] of [
    ["retry", "give a blocked stage another set of attempts"],
    ["skip", "leave a stage out; what depends on it goes on"],
  ] as const) {
    program
      .command(verb)
      .description(text)
      .argument("<run>")
      .argument("<stage>")
      .option("--json", "print one event per line", false)
      .action(
        act(async (name: string, stage: string, options: { json: boolean }) =>
          (await withAgents())[verb](io, name, stage, options),
        ),
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
      act(async (name: string, stage: string, text: string, options: { json: boolean }) =>
        (await withAgents()).answer(io, name, stage, text, options),
      ),
    );

  program
    .command("cancel")
    .description("end a run; what is merged stays merged")
    .argument("<run>")
    .option("--json", "print one event per line", false)
    .action(
      act(async (name: string, options: { json: boolean }) => (await withAgents()).cancel(io, name, options)),
    );

  program
    .command("archive")
    .description("archive an ended run; its record stays")
    .argument("<run>")
    .action(act(async (name: string) => (await withAgents()).archive(io, name)));

  program
    .command("clean")
    .description("forget a run that has ended; what it merged stays")
    .argument("<run>")
    .action(act(async (name: string) => (await withAgents()).clean(io, name)));

  program
    .command("doctor")
    .description("say what is missing on this machine and in this repository")
    .option("--json", "print JSON", false)
    .action(act(async (options: { json: boolean }) => (await withAgents()).doctor(io, options)));

  program
    .command("drill")
    .description("play a hostile agent's attacks against this installation")
    .option("--json", "print one JSON object", false)
    .addHelpText("after", DRILL_HELP)
    .action(act(async (options: { json: boolean }) => (await withAgents()).drill(io, options)));

  program
    .command("map")
    .description("show what the files of this repository tell about it, as planners see it")
    .option("--json", "print JSON", false)
    .action(act(async (options: { json: boolean }) => (await import("./commands/map.ts")).map(io, options)));

  program
    .command("settings")
    .description("show every setting and where its value comes from")
    .option("--json", "print one JSON object per setting", false)
    .action(
      act(async (options: { json: boolean }) =>
        (await import("./commands/settings.ts")).settings(io, options),
      ),
    );

  program
    .command("app")
    .description("take GitHub's webhooks; without REDIS_URL it runs the agents as well")
    .action(act(async () => (await serve()).app(io)));

  program
    .command("worker")
    .description("run agents for an App that shares its Redis")
    .action(act(async () => (await serve()).worker(io)));

  return program;
}

function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError("It has to be a whole number of at least 1.");
  return value;
}
