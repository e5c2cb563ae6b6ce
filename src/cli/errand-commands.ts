import { type Command, InvalidArgumentError } from "commander";
import { AUDITS } from "../core/errand/errand-kinds.ts";
import { DEPTHS, type Depth } from "../core/errand/planning-choices.ts";
import { SEVERITIES, type Severity } from "../core/findings/severity.ts";
import { errandUsage } from "../core/report/errand-usage.ts";
import { branchName } from "./branch-name.ts";
import type { PlanNewOptions } from "./commands/plan-new.ts";
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
export function addErrandCommands(program: Command, plan: Command, io: Io, act: Act): void {
  withPlanFlags(plan.command("new").description(errandUsage.planNew))
    .option("--json", errandUsage.planJson, false)
    .addHelpText("after", errandUsage.planCodes)
    .action(
      act(async (goal: string[], flags: PlanFlags) =>
        (await withAgents()).planNew(io, goal, optionsOf(flags)),
      ),
    );

  withPlanFlags(program.command("orchestrate").description(errandUsage.orchestrate))
    .option("--into <branch>", errandUsage.into, branchName)
    .option("--yes", errandUsage.yes, false)
    .option("--json", errandUsage.runJson, false)
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
      .description(errandUsage.audit(kind))
      .argument("[words...]", errandUsage.words)
      .option("--base <ref>", errandUsage.base)
      .option("--harness <name>", errandUsage.harness)
      .option("--fail-on <severity>", errandUsage.failOn, oneOf(SEVERITIES))
      .option("--json", errandUsage.json, false)
      .addHelpText("after", errandUsage.auditCodes)
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
    .description(errandUsage.ask)
    .argument("[words...]", errandUsage.question)
    .option("--continue", errandUsage.continue, false)
    .option("--harness <name>", errandUsage.harness)
    .option("--json", errandUsage.json, false)
    .addHelpText("after", errandUsage.askCodes)
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
    .argument("<goal...>", errandUsage.goal)
    .option("--out <file>", errandUsage.out)
    .option("--force", errandUsage.force, false)
    .option("--fresh", errandUsage.fresh, false)
    .option("--depth <depth>", errandUsage.depth, oneOf(DEPTHS))
    .option("--express", errandUsage.express, false)
    .option("--answers <text>", errandUsage.answers)
    .option("--harness <name>", errandUsage.harness);
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
    if (found === undefined) throw new InvalidArgumentError(errandUsage.notOneOf(words));
    return found;
  };
}
