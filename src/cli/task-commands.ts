import { type Command, InvalidArgumentError } from "commander";
import { DEPTHS, type Depth } from "../core/command/planning-choices.ts";
import { AUDITS } from "../core/command/task-kinds.ts";
import { SEVERITIES, type Severity } from "../core/findings/severity.ts";
import { taskUsage } from "../core/report/commands/task-usage.ts";
import type { PlanNewOptions } from "./commands/plan-new.ts";
import { branchName } from "./input/branch-name.ts";
import type { Io } from "./io.ts";

const withAgents = () => import("./commands/with-agents.ts");

type Act = <A extends unknown[]>(command: (...args: A) => Promise<number>) => (...args: A) => Promise<void>;

type PlanFlags = Pick<PlanNewOptions, "force" | "fresh" | "express" | "json"> & {
  readonly out?: string;
  readonly depth?: Depth;
  readonly answers?: string;
  readonly harness?: string;
};
type AuditFlags = {
  readonly base?: string;
  readonly harness?: string;
  readonly failOn?: Severity;
  readonly json: boolean;
};
type AskFlags = { readonly continue: boolean; readonly harness?: string; readonly json: boolean };

/** Commands that one agent does, and those that begin with a plan of its making. */
export function addTaskCommands(program: Command, plan: Command, io: Io, act: Act): void {
  withPlanFlags(plan.command("new").description(taskUsage.planNew))
    .option("--json", taskUsage.planJson, false)
    .addHelpText("after", taskUsage.planCodes)
    .action(
      act(async (goal: string[], flags: PlanFlags) =>
        (await withAgents()).planNew(io, goal, optionsOf(flags)),
      ),
    );

  withPlanFlags(program.command("orchestrate").description(taskUsage.orchestrate))
    .option("--into <branch>", taskUsage.into, branchName)
    .option("--yes", taskUsage.yes, false)
    .option("--json", taskUsage.runJson, false)
    .action(
      act(async (goal: string[], flags: PlanFlags & { readonly yes: boolean; readonly into?: string }) =>
        (await withAgents()).orchestrate(io, goal, {
          ...optionsOf(flags),
          yes: flags.yes,
          into: flags.into ?? null,
        }),
      ),
    );

  for (const kind of AUDITS) {
    program
      .command(kind)
      .description(taskUsage.audit(kind))
      .argument("[words...]", taskUsage.words)
      .option("--base <ref>", taskUsage.base)
      .option("--harness <name>", taskUsage.harness)
      .option("--fail-on <severity>", taskUsage.failOn, oneOf(SEVERITIES))
      .option("--json", taskUsage.json, false)
      .addHelpText("after", taskUsage.auditCodes)
      .action(
        act(async (words: string[], { base, harness, failOn, json }: AuditFlags) =>
          (await withAgents()).audit(io, kind, words, {
            base: base ?? null,
            harness: harness ?? null,
            failOn: failOn ?? null,
            json,
          }),
        ),
      );
  }

  program
    .command("ask")
    .description(taskUsage.ask)
    .argument("[words...]", taskUsage.question)
    .option("--continue", taskUsage.continue, false)
    .option("--harness <name>", taskUsage.harness)
    .option("--json", taskUsage.json, false)
    .addHelpText("after", taskUsage.askCodes)
    .action(
      act(async (words: string[], flags: AskFlags) =>
        (await withAgents()).ask(io, words, {
          continue: flags.continue,
          harness: flags.harness ?? null,
          json: flags.json,
        }),
      ),
    );
}

function withPlanFlags(command: Command): Command {
  return command
    .argument("<goal...>", taskUsage.goal)
    .option("--out <file>", taskUsage.out)
    .option("--force", taskUsage.force, false)
    .option("--fresh", taskUsage.fresh, false)
    .option("--depth <depth>", taskUsage.depth, oneOf(DEPTHS))
    .option("--express", taskUsage.express, false)
    .option("--answers <text>", taskUsage.answers)
    .option("--harness <name>", taskUsage.harness);
}

function optionsOf({ out, depth, answers, harness, ...flags }: PlanFlags): PlanNewOptions {
  const { force, fresh, express, json } = flags;
  return {
    out: out ?? null,
    depth: depth ?? null,
    answers: answers ?? null,
    harness: harness ?? null,
    force,
    fresh,
    express,
    json,
  };
}

function oneOf<T extends string>(words: readonly T[]): (value: string) => T {
  return (value) => {
    const found = words.find((one) => one === value.toLowerCase());
    if (found === undefined) throw new InvalidArgumentError(taskUsage.notOneOf(words));
    return found;
  };
}
